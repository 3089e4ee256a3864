import COpenSSL
import Machines

/// One DTLS 1.2 session that exists to agree on SRTP keys (RFC 5764): datagrams and times in, datagrams and events out.
///
/// Nothing happens before `start(at:)`; the caller says so when the path is up. Datagrams that come earlier are the
/// caller's to keep. The certificate of the other side is compared inside the handshake, so a stranger is told by an
/// alert and never becomes `connected`.
///
/// One thing is not pure: OpenSSL itself reads the wall clock for its retransmission timer and offers no way to hand it
/// the time. `deadline` is set again from OpenSSL's remaining time after every call, so a caller that comes too early
/// is merely asked to come again, and a handshake that a step of the wall clock holds up ends by `handshakeTimeout`.
package final class DTLSSession {
  /// What a session has to say.
  package enum Output: Sendable, Hashable {
    /// Send this datagram.
    case send([UInt8])
    /// The handshake is done and the certificate is the announced one; `takeKeys()` has the keys.
    case connected(SRTPProfile)
    /// It is over; nothing follows.
    case failed(DTLSFailure)
    /// The other side said close_notify (or a fatal alert after the handshake); nothing follows.
    case closed
  }

  /// Limits of one session.
  package struct Configuration: Sendable, Hashable {
    /// Profiles that we take, best first; ours counts when we are the server.
    package var profiles: [SRTPProfile] = [.aeadAES128GCM, .aes128CMSHA180]
    /// Longest datagram that we write, in bytes; 1200 fits every path that WebRTC meets.
    package var longestDatagram = 1200
    /// Time until the first repetition of an unanswered flight, doubled with every further one. RFC 6347 §4.2.4.1
    /// lets real-time uses go below its default of a second; 200 ms is above the round trip of most paths.
    package var firstRetransmission: MonotonicTime.Span = .milliseconds(200)
    /// The doubling ends here.
    package var longestRetransmission: MonotonicTime.Span = .seconds(2)
    /// A handshake that takes longer than this has failed.
    package var handshakeTimeout: MonotonicTime.Span = .seconds(20)
    package init() {}
  }

  enum State: Hashable {
    case idle, handshaking, connected, over
  }

  private(set) var state = State.idle
  /// When `advance(to:)` wants to be called, nil when no timer runs.
  package private(set) var deadline: MonotonicTime?

  let session: OpaquePointer
  private let pipe: DatagramPipe
  private let role: NegotiatedSession.DTLSRole
  private let handshakeTimeout: MonotonicTime.Span
  private var givingUpAt: MonotonicTime?
  private var outputs = OutputQueue<Output>()

  /// Prepares a session; throws `DTLSError` when OpenSSL has no memory or does not know a profile.
  package init(
    role: NegotiatedSession.DTLSRole, certificate: DTLSCertificate, remoteFingerprints: [Fingerprint],
    configuration: Configuration = Configuration()
  ) throws(DTLSError) {
    ERR_clear_error()
    let pipe = DatagramPipe(
      acceptable: remoteFingerprints, firstRetransmission: configuration.firstRetransmission,
      longestRetransmission: configuration.longestRetransmission)
    guard let session = SSL_new(certificate.context) else { throw .take(step: "making a DTLS session") }
    guard let bio = pipe.makeBIO() else {
      SSL_free(session)
      throw .take(step: "making a datagram pipe")
    }
    // One reference for both directions; from here on the session owns the BIO.
    SSL_set_bio(session, bio, bio)
    let profiles = configuration.profiles.map(\.rawValue).joined(separator: ":")
    guard copenssl_set_longest_datagram(session, configuration.longestDatagram) == 1,
      // Alone of its kind, this one answers 0 when all is well.
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

  /// The path is up: a client sends its first flight now, a server starts to listen.
  package func start(at now: MonotonicTime) {
    guard state == .idle else { return }
    state = .handshaking
    givingUpAt = now + handshakeTimeout
    proceed(at: now)
  }

  /// Takes one datagram whose first byte said DTLS. Broken records are dropped without a trace (RFC 6347 §4.1.2.7).
  package func receive(_ datagram: UnsafeRawBufferPointer, at now: MonotonicTime) {
    guard state == .handshaking || state == .connected else { return }
    pipe.incoming = datagram
    proceed(at: now)
    pipe.incoming = nil
  }

  /// Retransmits what is due at `now`, and gives up in the end.
  package func advance(to now: MonotonicTime) {
    guard state == .handshaking else { return }
    if let givingUpAt, now >= givingUpAt { return fail(.timeout) }
    ERR_clear_error()
    if copenssl_retransmit(session) < 0 { return fail(.timeout) }
    collect(at: now)
  }

  /// The next output, nil when drained.
  package func next() -> Output? { outputs.next() }

  /// The keys of a connected session; they can be asked for once per need and are wiped when they end.
  package func takeKeys() -> KeyPair? {
    guard state == .connected else { return nil }
    return KeyPair(exportedFrom: session, role: role)
  }

  /// Says close_notify if there is somebody to say it to; the session is over afterwards.
  package func close() {
    if state == .connected {
      ERR_clear_error()
      SSL_shutdown(session)
      flush()
    }
    finish()
  }
}

extension DTLSSession {
  /// Lets OpenSSL take what the pipe offers, first into the handshake, then into the established session.
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
    // Also answers a repeated last flight, whose answer got lost.
    if state == .connected { drainRecords() }
    collect(at: now)
  }

  private func reason(of error: Int32) -> String {
    error == SSL_ERROR_ZERO_RETURN ? "the peer closed during the handshake" : DTLSError.takeReason()
  }

  private func connect() {
    // No resumption is allowed, so the comparison has run; without its yes there is no connection all the same.
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

  /// Reads until the datagram is used up. Application data has no meaning here (no data channel) and is dropped.
  private func drainRecords() {
    withUnsafeTemporaryAllocation(byteCount: Self.longestRecord, alignment: 1) { buffer in
      // A datagram of 64 KiB cannot hold more records than this (13 bytes of header each).
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
