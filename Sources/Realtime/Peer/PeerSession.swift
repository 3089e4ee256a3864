import Machines

/// One media connection as a value: datagrams and times in; datagrams, packets and events out.
///
/// Composed of the layers of a WebRTC end: DTLS and SRTP below (`SecurePath`), the streams that come in, reports, and
/// where we send, the forwarder with its history. The same streams also run over paths without a handshake.
package struct PeerSession: ~Copyable {
  let configuration: Configuration
  var path: SecurePath
  var incoming: IncomingStreams
  var reports: ReportScheduler
  /// Rewrites what is forwarded here; nil where nothing was agreed to be sent.
  var forwarder: Forwarder?
  /// Packets of ours for a receiver that asks again; nil where we send nothing.
  var history: RetransmissionHistory?
  var outputs = OutputQueue<Output>()
  var sentPackets: Int64 = 0
  var sentBytes: Int64 = 0
  /// When the other side counts as gone that said goodbye, unless more comes from it.
  var farewell: MonotonicTime?
  /// The last time that a call brought, for the one call that brings none.
  var latest = MonotonicTime(nanoseconds: 0)

  /// A connection whose keys come from a DTLS handshake with the peer of `negotiated`.
  ///
  /// Throws `DTLSError` when OpenSSL cannot make a session.
  package init(
    negotiated: NegotiatedSession, certificate: DTLSCertificate, configuration: Configuration
  ) throws(DTLSError) {
    let dtls = try DTLSSession(
      role: negotiated.dtlsRole, certificate: certificate, remoteFingerprints: negotiated.remoteFingerprints,
      configuration: configuration.dtls)
    self.init(path: SecurePath(dtls: dtls), configuration: configuration)
    guard configuration.maySend else { return }
    // The SSRC is random, so these are. RFC 3711 §3.3.1: begin in the lower half, so that no first wrap can be missed.
    forwarder = Forwarder(
      Forwarder.Configuration(
        ssrc: configuration.localSSRC, session: negotiated,
        firstSequenceNumber: UInt16(truncatingIfNeeded: configuration.localSSRC &>> 8) & 0x7FFF,
        firstTimestamp: configuration.localSSRC &* 0x9E37_79B1))
  }

  /// A connection whose keys the signaling brought (RTP/SAVP with SDES, RFC 4568).
  ///
  /// Throws `SRTPError` when libsrtp does not take the keys.
  package init(keys: borrowing KeyPair, configuration: Configuration) throws(SRTPError) {
    self.init(path: SecurePath(srtp: try SRTPContext(keys: keys)), configuration: configuration)
  }

  /// A connection without encryption (RTP/AVP), for a closed network or within this process.
  ///
  /// - Parameter forwarding: how packets are rewritten that are passed on here; nil where none are.
  package init(plain configuration: Configuration, forwarding: Forwarder.Configuration? = nil) {
    self.init(path: SecurePath(), configuration: configuration)
    forwarder = forwarding.map { Forwarder($0) }
  }

  private init(path: consuming SecurePath, configuration: Configuration) {
    self.configuration = configuration
    self.path = path
    incoming = IncomingStreams(nack: configuration.nack)
    reports = ReportScheduler(
      ReportScheduler.Configuration(
        ssrc: configuration.localSSRC, cname: configuration.cname, interval: configuration.reportInterval,
        clock: configuration.clock, asksForDelay: configuration.asksForDelay && configuration.mayReceive))
    history = configuration.maySend ? RetransmissionHistory(depth: configuration.historyDepth) : nil
  }

  /// So long after a goodbye without a handshake another SSRC may still follow.
  static let farewell = MonotonicTime.Span.milliseconds(500)

  /// Media may flow.
  package var isConnected: Bool { path.isConnected }

  /// When `advance(to:)` wants to be called at the latest, nil when nothing is pending.
  package var deadline: MonotonicTime? {
    guard !path.isOver else { return nil }
    var earliest = path.deadline
    if path.isConnected {
      if let due = incoming.deadline { earliest = min(earliest ?? due, due) }
      if let due = reports.deadline { earliest = min(earliest ?? due, due) }
      if let farewell { earliest = min(earliest ?? farewell, farewell) }
    }
    return earliest
  }

  /// The next output, nil when drained.
  package mutating func next() -> Output? { outputs.next() }

  /// The path is up (ICE has a pair): DTLS that came before is fed now, and a client sends its first flight.
  /// Said again, as after an ICE restart, it changes nothing.
  package mutating func pathConnected(at now: MonotonicTime) {
    latest = now
    path.connect(at: now)
    collect(at: now)
  }

  /// Lets time pass: handshake repetitions, requests for missing packets, reports.
  package mutating func advance(to now: MonotonicTime) {
    latest = now
    path.advance(to: now)
    collect(at: now)
    guard path.isConnected else { return }
    if let due = farewell, due <= now {
      farewell = nil
      outputs.append(.closed)
    }
    requestMissing(at: now)
    if reports.isDue(at: now) {
      let blocks = incoming.reportBlocks(at: now)
      send(rtcp: reports.reports(at: now, blocks: blocks))
    } else if let probe = reports.probe(at: now) {
      send(rtcp: probe)
    }
  }

  /// The other side leaves: what is missing is still asked for, also what may have been lost of its last packets.
  package mutating func finish(at now: MonotonicTime) {
    latest = now
    guard path.isConnected else { return }
    incoming.probe(at: now)
    requestMissing(at: now)
  }

  /// What comes from now on is not wanted: only what is missing now is still asked for.
  package mutating func seal() { incoming.seal() }

  /// Says BYE and close_notify, as far as there is somebody to hear it; the session is over afterwards.
  package mutating func close() {
    if path.isConnected { send(rtcp: reports.goodbye(at: latest)) }
    path.close()
    collect(at: latest)
  }

  /// Carries the path's events over to our outputs, and takes up what waited for the keys.
  mutating func collect(at now: MonotonicTime) {
    while let event = path.next() {
      switch event {
      case .send(let datagram): outputs.append(.send(datagram))
      case .failed(let failure): outputs.append(.failed(failure))
      case .closed: outputs.append(.closed)
      case .connected(let profile):
        outputs.append(.connected(profile))
        reports.start(at: now)
        for held in path.takeHeldMedia() {
          held.bytes.withUnsafeBytes { _ = take($0, at: now, arrival: held.arrival) }
        }
      }
    }
  }
}

extension PeerSession {
  /// What a session has to say; the caller takes all of it before it touches the session again.
  package enum Output: Sendable {
    /// Send this datagram on the path.
    case send([UInt8])
    /// Media may flow; the profile is nil on a path without encryption.
    case connected(SRTPProfile?)
    /// It is over before it began; nothing follows, nothing was delivered.
    case failed(PeerFailure)
    /// An authentic packet. Duplicates (possible only without encryption) are marked, not left out.
    case rtp(ReceivedPacket)
    /// An authentic, well-formed RTCP compound, decrypted, and its arrival.
    case rtcp([UInt8], MonotonicTime)
    /// The other side left: close_notify, or RTCP BYE for all its sources on a path without a handshake and nothing more
    /// for half a second. A sender that changes its SSRC says BYE too (RFC 3550 section 8.2), and goes on.
    ///
    /// BYE alone is no end under DTLS: browsers send it whenever a sender pauses.
    case closed
  }
}

/// Why a peer session came to nothing.
package enum PeerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The peer's certificate is not the announced one: somebody else answered, nothing of it was taken.
  case fingerprintMismatch
  /// The DTLS handshake broke, in words.
  case handshake(String)
  /// The DTLS handshake was not finished in time.
  case timeout
  /// No SRTP profile in common.
  case noCommonProfile
  /// The agreed keys were refused by OpenSSL or libsrtp, in words; this is a fault of ours.
  case keying(String)

  init(_ failure: DTLSFailure) {
    switch failure {
    case .fingerprintMismatch: self = .fingerprintMismatch
    case .handshake(let reason): self = .handshake(reason)
    case .timeout: self = .timeout
    case .noCommonProfile: self = .noCommonProfile
    }
  }

  package var description: String {
    switch self {
    case .fingerprintMismatch: DTLSFailure.fingerprintMismatch.description
    case .handshake(let reason): DTLSFailure.handshake(reason).description
    case .timeout: DTLSFailure.timeout.description
    case .noCommonProfile: DTLSFailure.noCommonProfile.description
    case .keying(let reason): "the agreed SRTP keys could not be used: \(reason)"
    }
  }
}
