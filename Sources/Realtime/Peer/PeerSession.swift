import Machines

/// One media connection as a value: datagrams and times in; datagrams, packets and events out.
///
/// It combines the layers of a WebRTC endpoint: DTLS and SRTP (`SecurePath`), the incoming streams, reports and, for
/// sending, the forwarder with its history. The same streams also run over paths without a handshake.
///
/// ```swift
/// var session = try PeerSession(negotiated: negotiated, certificate: certificate, configuration: configuration)
/// session.pathConnected(at: now)
/// session.receive(datagram, at: now)
/// while let output = session.next() { handle(output) }
/// ```
package struct PeerSession: ~Copyable {
  let configuration: Configuration
  var path: SecurePath
  var incoming: IncomingStreams
  var reports: ReportScheduler
  /// Rewrites packets forwarded to this peer; nil if we do not send. Never another one: it writes what is sent again, too.
  var forwarder: Forwarder?
  /// Our packets kept for retransmission; nil if we do not send.
  var history: RetransmissionHistory?
  /// The room in which packets are rewritten.
  var rewritten: [UInt8] = []
  var outputs = OutputQueue<Output>()
  var sentPackets: Int64 = 0
  var sentBytes: Int64 = 0
  /// When a peer that said goodbye counts as gone, unless more packets arrive.
  var farewell: MonotonicTime?
  /// The time of the latest call, for the one method without a time.
  var latest = MonotonicTime(nanoseconds: 0)

  /// Creates a connection with keys from a DTLS handshake with the peer of `negotiated`.
  ///
  /// Throws `DTLSError` if OpenSSL cannot create a session.
  package init(
    negotiated: NegotiatedSession, certificate: DTLSCertificate, configuration: Configuration
  ) throws(DTLSError) {
    let dtls = try DTLSSession(
      role: negotiated.dtlsRole, certificate: certificate, remoteFingerprints: negotiated.remoteFingerprints,
      configuration: configuration.dtls)
    self.init(path: SecurePath(dtls: dtls), configuration: configuration)
    guard configuration.maySend else { return }
    // Derived from the SSRC, which is random. RFC 3711 §3.3.1: start in the lower half, so that no first wrap can be
    // missed.
    forwarder = Forwarder(
      Forwarder.Configuration(
        ssrc: configuration.localSSRC, session: negotiated,
        firstSequenceNumber: UInt16(truncatingIfNeeded: configuration.localSSRC &>> 8) & 0x7FFF,
        firstTimestamp: configuration.localSSRC &* 0x9E37_79B1))
  }

  /// Creates a connection with keys from the signaling (RTP/SAVP with SDES, RFC 4568).
  ///
  /// Throws `SRTPError` if OpenSSL does not accept the keys.
  package init(keys: borrowing KeyPair, configuration: Configuration) throws(SRTPError) {
    self.init(path: SecurePath(srtp: try SRTPContext(keys: keys)), configuration: configuration)
  }

  /// Creates a connection without encryption (RTP/AVP), for a closed network or within this process.
  ///
  /// - Parameter forwarding: how forwarded packets are rewritten; nil if none are forwarded.
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
        probeInterval: configuration.probeInterval, clock: configuration.clock,
        asksForDelay: configuration.asksForDelay && configuration.mayReceive))
    history = configuration.maySend ? RetransmissionHistory(depth: configuration.historyDepth) : nil
  }

  /// How long after a goodbye without a handshake another SSRC may still follow.
  static let farewell = MonotonicTime.Span.milliseconds(500)

  /// True once media may flow.
  package var isConnected: Bool { path.isConnected }

  /// Latest time at which to call `advance(to:)`; nil if nothing is pending.
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

  /// Returns the next output; nil if there is none.
  package mutating func next() -> Output? { outputs.next() }

  /// Reports that the path is up (ICE has a pair): DTLS datagrams received earlier are processed, and a client sends
  /// its first flight. Further calls, for example after an ICE restart, have no effect.
  package mutating func pathConnected(at now: MonotonicTime) {
    latest = now
    path.connect(at: now)
    collect(at: now)
  }

  /// Advances time: handshake retransmissions, NACKs, reports.
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

  /// Prepares for the peer's departure: missing packets are still requested, including any lost after the last
  /// received one.
  package mutating func finish(at now: MonotonicTime) {
    latest = now
    guard path.isConnected else { return }
    incoming.probe(at: now)
    requestMissing(at: now)
  }

  /// Stops accepting new packets: only those missing now are still requested.
  package mutating func seal() { incoming.seal() }

  /// Sends BYE and close_notify if a peer is connected; the session then ends.
  package mutating func close() {
    if path.isConnected { send(rtcp: reports.goodbye(at: latest)) }
    path.close()
    collect(at: latest)
  }

  /// Converts the path's events to outputs, and processes datagrams held back until the keys were available.
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
  /// The output of a session; the caller must take all of it before using the session again.
  package enum Output: Sendable {
    /// Send this datagram on the path.
    case send([UInt8])
    /// Media may flow; the profile is nil for a path without encryption.
    case connected(SRTPProfile?)
    /// The session failed before it connected; no output follows, and nothing was delivered.
    case failed(PeerFailure)
    /// An authentic packet. Duplicates (possible only without encryption) are marked rather than dropped.
    case rtp(ReceivedPacket)
    /// An authentic, well-formed, decrypted RTCP compound and its arrival.
    case rtcp([UInt8], MonotonicTime)
    /// The peer left: close_notify or, on a path without a handshake, RTCP BYE for all its sources and then silence
    /// for half a second. A sender that changes its SSRC also sends BYE (RFC 3550 section 8.2), but continues.
    ///
    /// Under DTLS, BYE alone does not end a session: browsers send it whenever a sender pauses.
    case closed
  }
}

/// The reason why a peer session failed.
package enum PeerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The peer's certificate is not the announced one: somebody else answered, and nothing from them was accepted.
  case fingerprintMismatch
  /// The DTLS handshake failed, with a description.
  case handshake(String)
  /// The DTLS handshake timed out.
  case timeout
  /// No SRTP profile in common.
  case noCommonProfile
  /// OpenSSL refused the negotiated keys, with a description; this is our fault.
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
