import COpenSSL
import Machines

/// One DTLS 1.2 session used to negotiate SRTP keys (RFC 5764): datagrams and times in, datagrams and events out.
///
/// Nothing happens before `start(at:)`, which the caller calls when the path is up; the caller must keep earlier
/// datagrams. The peer's certificate is verified inside the handshake, so a stranger receives an alert and never
/// becomes `connected`.
///
/// The session is not quite pure: OpenSSL reads the wall clock for its retransmission timer and accepts no other
/// time. `deadline` is updated from OpenSSL's remaining time after every call, so a call that comes too early merely
/// schedules another. If a step of the wall clock delays a handshake, `handshakeTimeout` ends it.
package final class DTLSSession {
  /// The output of a session.
  package enum Output: Sendable, Hashable {
    /// Send this datagram.
    case send([UInt8])
    /// The handshake is complete and the certificate matches; `takeKeys()` returns the keys.
    case connected(SRTPProfile)
    /// The session has failed; no output follows.
    case failed(DTLSFailure)
    /// The peer sent close_notify (or a fatal alert after the handshake); no output follows.
    case closed
  }

  /// Limits of one session.
  package struct Configuration: Sendable, Hashable {
    /// Accepted profiles, best first; our order decides if we are the server.
    package var profiles: [SRTPProfile] = [.aeadAES128GCM, .aes128CMSHA180]
    /// Longest datagram that we send, in bytes; 1200 fits every path WebRTC is used on.
    package var longestDatagram = 1200
    /// Time until the first retransmission of an unanswered flight, doubled each time. RFC 6347 §4.2.4.1 permits less
    /// than its default of one second for real-time use; 200 ms is above the round trip of most paths.
    package var firstRetransmission: MonotonicTime.Span = .milliseconds(200)
    /// Upper limit of the doubled time.
    package var longestRetransmission: MonotonicTime.Span = .seconds(2)
    /// Longest duration of a handshake.
    package var handshakeTimeout: MonotonicTime.Span = .seconds(20)
    package init() {}
  }

  enum State: Hashable {
    case idle, handshaking, connected, over
  }

  private(set) var state = State.idle
  /// When to call `advance(to:)`; nil if no timer is running.
  package private(set) var deadline: MonotonicTime?

  let session: OpaquePointer
  private let pipe: DatagramPipe
  private let role: NegotiatedSession.DTLSRole
  private let handshakeTimeout: MonotonicTime.Span
  private var givingUpAt: MonotonicTime?
  private var outputs = OutputQueue<Output>()

  /// Prepares a session; throws `DTLSError` if OpenSSL runs out of memory or does not know a profile.
  package init(
    role: NegotiatedSession.DTLSRole, certificate: DTLSCertificate, remoteFingerprints: [Fingerprint],
    configuration: Configuration = Configuration()
  ) throws(DTLSError) {
    ERR_clear_error()
    let pipe = DatagramPipe(
      acceptable: remoteFingerprints, firstRetransmission: configuration.firstRetransmission,
      longestRetransmission: configuration.longestRetransmission)
    guard let session = SSL_new(certificate.context) else { throw .take(step: "creating a DTLS session") }
    guard let bio = pipe.makeBIO() else {
      SSL_free(session)
      throw .take(step: "creating a datagram pipe")
    }
    // One reference for both directions; from here on the session owns the BIO.
    SSL_set_bio(session, bio, bio)
    let profiles = configuration.profiles.map(\.rawValue).joined(separator: ":")
    guard copenssl_set_longest_datagram(session, configuration.longestDatagram) == 1,
      // Unlike the other functions, this one returns 0 on success.
      SSL_set_tlsext_use_srtp(session, profiles) == 0
    else {
      SSL_free(session)
      throw .take(step: "configuring a DTLS session")
    }
    DTLS_set_timer_cb(session) { session, last in DatagramPipe.retransmissionTime(of: session, after: last) }
    switch role {
    case .client: SSL_set_connect_state(session)
    case .server: SSL_set_accept_state(session)
    }
    self.session = session
    self.pipe = pipe
    self.role = role
    handshakeTimeout = configuration.handshakeTimeout
  }

  deinit {
    // Frees the BIO too, while the pipe still lives.
    SSL_free(session)
  }

  /// Starts the session once the path is up: a client sends its first flight, a server starts to listen.
  package func start(at now: MonotonicTime) {
    guard state == .idle else { return }
    state = .handshaking
    givingUpAt = now + handshakeTimeout
    proceed(at: now)
  }

  /// Takes one datagram classified as DTLS by its first byte. Malformed records are dropped silently (RFC 6347
  /// §4.1.2.7).
  package func receive(_ datagram: UnsafeRawBufferPointer, at now: MonotonicTime) {
    guard state == .handshaking || state == .connected else { return }
    // Without memory the datagram is lost, as any may be.
    if state == .connected, SSL_alloc_buffers(session) != 1 { return }
    pipe.incoming = datagram
    proceed(at: now)
    pipe.incoming = nil
  }

  /// Retransmits what is due at `now`; gives up after the timeout.
  package func advance(to now: MonotonicTime) {
    guard state == .handshaking else { return }
    if let givingUpAt, now >= givingUpAt { return fail(.timeout) }
    ERR_clear_error()
    if copenssl_retransmit(session) < 0 { return fail(.timeout) }
    collect(at: now)
  }

  /// Returns the next output; nil if there is none.
  package func next() -> Output? { outputs.next() }

  /// Returns the keys of a connected session. They can be requested repeatedly; each copy is wiped when released.
  package func takeKeys() -> KeyPair? {
    guard state == .connected else { return nil }
    return KeyPair(exportedFrom: session, role: role)
  }

  /// Sends close_notify if a peer is connected; the session then ends.
  package func close() {
    if state == .connected {
      ERR_clear_error()
      // Without its buffers OpenSSL would write to nowhere.
      if SSL_alloc_buffers(session) == 1 { SSL_shutdown(session) }
      flush()
    }
    finish()
  }
}

extension DTLSSession {
  /// Passes the pipe's datagram to OpenSSL: first to the handshake, then to the established session.
  private func proceed(at now: MonotonicTime) {
    ERR_clear_error()
    if state == .handshaking {
      let result = SSL_do_handshake(session)
      if result == 1 {
        flush()
        connect()
      } else {
        let error = SSL_get_error(session, result)
        if error != SSL_ERROR_WANT_READ {
          flush()
          return fail(pipe.fingerprintMatched == false ? .fingerprintMismatch : .handshake(reason(of: error)))
        }
      }
    }
    // This also responds to a retransmitted last flight, whose answer was lost.
    if state == .connected { drainRecords() }
    collect(at: now)
    // The two buffers for records, 17 KiB each: once there are keys, hardly a record comes.
    if state == .connected { _ = SSL_free_buffers(session) }
  }

  private func reason(of error: Int32) -> String {
    error == SSL_ERROR_ZERO_RETURN ? "the peer closed during the handshake" : DTLSError.takeReason()
  }

  private func connect() {
    // Resumption is disabled, so the comparison has run; without a match there is no connection in any case.
    guard pipe.fingerprintMatched == true else { return fail(.fingerprintMismatch) }
    guard let chosen = SSL_get_selected_srtp_profile(session),
      let profile = SRTPProfile(dtlsIdentifier: chosen.pointee.id)
    else {
      SSL_shutdown(session)
      flush()
      return fail(.noCommonProfile)
    }
    state = .connected
    outputs.append(.connected(profile))
  }

  /// Reads until the datagram is consumed. Application data is dropped, since there is no data channel.
  private func drainRecords() {
    withUnsafeTemporaryAllocation(byteCount: Self.longestRecord, alignment: 1) { buffer in
      // A datagram of 64 KiB cannot contain more records than this (each has a header of 13 bytes).
      for _ in 0..<5_000 {
        let count = SSL_read(session, buffer.baseAddress, Int32(buffer.count))
        if count > 0 { continue }
        let error = SSL_get_error(session, count)
        if error == SSL_ERROR_ZERO_RETURN || error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL {
          flush()
          outputs.append(.closed)
          finish()
        }
        return
      }
    }
  }

  /// RFC 6347 §4.1: 2^14 bytes of plaintext at most.
  private static let longestRecord = 16_384

  private func collect(at now: MonotonicTime) {
    flush()
    guard state == .handshaking, let givingUpAt else {
      deadline = nil
      return
    }
    let left = copenssl_microseconds_left(session)
    deadline = left < 0 ? givingUpAt : min(givingUpAt, now + .microseconds(left))
  }

  private func flush() {
    guard !pipe.outgoing.isEmpty else { return }
    for datagram in pipe.outgoing { outputs.append(.send(datagram)) }
    pipe.outgoing.removeAll(keepingCapacity: true)
  }

  private func fail(_ failure: DTLSFailure) {
    flush()
    outputs.append(.failed(failure))
    finish()
  }

  private func finish() {
    ERR_clear_error()
    state = .over
    deadline = nil
  }
}
