import Machines
import Testing

@testable import Realtime

/// Two peer sessions and the network between them: delay, loss and time are the test's.
final class PeerLink {
  enum Side: Hashable { case left, right }

  private struct Flight {
    var arrival: MonotonicTime
    var to: Side
    var bytes: [UInt8]
  }

  var left: PeerSession
  var right: PeerSession
  private(set) var now = MonotonicTime.start
  /// One-way delay of every datagram.
  var delay = MonotonicTime.Span.zero
  /// Says whether a datagram from a side is lost.
  var loses: (Side, [UInt8]) -> Bool = { _, _ in false }
  /// Called with every packet that a side takes, before anything else happens.
  var onPacket: (Side, ReceivedPacket) -> Void = { _, _ in }
  private(set) var packets: [Side: [ReceivedPacket]] = [.left: [], .right: []]
  private(set) var compounds: [Side: [[RTCPPacket]]] = [.left: [], .right: []]
  private(set) var failures: [Side: [PeerFailure]] = [.left: [], .right: []]
  private(set) var profiles: [Side: [SRTPProfile?]] = [.left: [], .right: []]
  private(set) var closed: Set<Side> = []
  /// Every datagram that a side sent, lost or not.
  private(set) var sent: [Side: [[UInt8]]] = [.left: [], .right: []]
  private var flights: [Flight] = []

  init(left: consuming PeerSession, right: consuming PeerSession) {
    self.left = left
    self.right = right
  }

  /// Tells both sides that the path is up and carries the handshake through.
  ///
  /// With losses this takes a little true time, because OpenSSL asks the wall clock for its retransmission timer.
  func connect() {
    left.pathConnected(at: now)
    right.pathConnected(at: now)
    drain()
    let begin = ContinuousClock.now
    while !isSettled {
      if left.path.deadline == nil, right.path.deadline == nil, flights.isEmpty { break }
      now = .start + .nanoseconds(Int64((ContinuousClock.now - begin) / .nanoseconds(1)))
      deliver()
      if let due = left.deadline, due <= now { left.advance(to: now) }
      if let due = right.deadline, due <= now { right.advance(to: now) }
      drain()
    }
  }

  /// Lets virtual time pass, from event to event.
  func run(for span: MonotonicTime.Span) {
    let end = now + span
    while true {
      let times = [flights.map(\.arrival).min(), left.deadline, right.deadline].compactMap { $0 }
      guard let next = times.min(), next <= end else { break }
      now = max(now, next)
      deliver()
      if let due = left.deadline, due <= now { left.advance(to: now) }
      if let due = right.deadline, due <= now { right.advance(to: now) }
      drain()
    }
    now = end
  }

  /// Takes whatever both sides have to say.
  func drain() {
    while let output = left.next() { take(output, of: .left) }
    while let output = right.next() { take(output, of: .right) }
    if delay == .zero { deliver() }
  }

  /// Puts a datagram on the way, as if the side had sent it.
  func inject(_ bytes: [UInt8], from side: Side) {
    flights.append(Flight(arrival: now + delay, to: side == .left ? .right : .left, bytes: bytes))
    drain()
  }

  private var isSettled: Bool {
    (left.isConnected && right.isConnected) || failures[.left] != [] || failures[.right] != []
  }

  private func deliver() {
    while let index = flights.firstIndex(where: { $0.arrival <= now }) {
      let flight = flights.remove(at: index)
      flight.bytes.withUnsafeBytes { bytes in
        switch flight.to {
        case .left: _ = left.receive(bytes, at: now)
        case .right: _ = right.receive(bytes, at: now)
        }
      }
      while let output = left.next() { take(output, of: .left) }
      while let output = right.next() { take(output, of: .right) }
    }
  }

  private func take(_ output: PeerSession.Output, of side: Side) {
    switch output {
    case .send(let bytes):
      sent[side]?.append(bytes)
      guard !loses(side, bytes) else { return }
      flights.append(Flight(arrival: now + delay, to: side == .left ? .right : .left, bytes: bytes))
    case .rtp(let packet):
      packets[side]?.append(packet)
      onPacket(side, packet)
    case .rtcp(let compound, _):
      if let parsed = try? RTCPCompound.parse(compound) { compounds[side]?.append(parsed) }
    case .connected(let profile): profiles[side]?.append(profile)
    case .failed(let failure): failures[side]?.append(failure)
    case .closed: closed.insert(side)
    }
  }
}

extension PeerLink {
  static let leftSSRC: UInt32 = 0x1111_1111
  static let rightSSRC: UInt32 = 0x2222_2222

  /// A musician on the left (DTLS client), Jamjar on the right.
  static func dtls(
    direction: NegotiatedSession.Direction = .sendAndReceive, profiles: [SRTPProfile] = SRTPProfile.allCases,
    rightExpects: Fingerprint? = nil, adjust: (inout PeerSession.Configuration) -> Void = { _ in }
  ) throws -> PeerLink {
    let mine = try DTLSPair.clientCertificate.get()
    let other = try DTLSPair.serverCertificate.get()
    return PeerLink(
      left: try session(
        .client, mine, expects: other.fingerprint, ssrc: leftSSRC, direction, profiles: profiles, adjust),
      right: try session(
        .server, other, expects: rightExpects ?? mine.fingerprint, ssrc: rightSSRC, direction.seenFromTheOtherSide,
        profiles: profiles, adjust))
  }

  static func session(
    _ role: NegotiatedSession.DTLSRole, _ certificate: DTLSCertificate, expects: Fingerprint, ssrc: UInt32,
    _ direction: NegotiatedSession.Direction, profiles: [SRTPProfile] = SRTPProfile.allCases,
    _ adjust: (inout PeerSession.Configuration) -> Void = { _ in }
  ) throws -> PeerSession {
    let negotiated = NegotiatedSession(
      remoteCredentials: .init(usernameFragment: "u", password: "p"), remoteFingerprints: [expects], dtlsRole: role,
      mid: "0", direction: direction, opusPayloadType: 111, nackAgreed: true, reducedSizeRTCP: true)
    var configuration = PeerSession.Configuration(localSSRC: ssrc, cname: "test", negotiated: negotiated)
    configuration.dtls = DTLSPair.quick
    configuration.dtls.profiles = profiles
    adjust(&configuration)
    return try PeerSession(negotiated: negotiated, certificate: certificate, configuration: configuration)
  }

  /// Sends 10 ms packets from the left, one every 10 ms of virtual time; each holds its number.
  func playFromTheLeft(_ numbers: Range<Int>, ssrc: UInt32 = leftSSRC) {
    for number in numbers {
      left.send(rtp: Self.music(number, ssrc: ssrc), at: now)
      drain()
      run(for: .milliseconds(10))
    }
  }

  /// An Opus packet of 10 ms, or something that long; the number wraps as on the wire.
  static func music(_ number: Int, ssrc: UInt32 = leftSSRC) -> [UInt8] {
    RTPWriter(
      payloadType: 111, sequenceNumber: UInt16(truncatingIfNeeded: number),
      timestamp: UInt32(truncatingIfNeeded: number &* 480), ssrc: ssrc
    ).packet(payload: (0..<160).map { UInt8(truncatingIfNeeded: number &+ $0) })
  }
}

extension NegotiatedSession.Direction {
  fileprivate var seenFromTheOtherSide: Self {
    switch self {
    case .sendOnly: .receiveOnly
    case .receiveOnly: .sendOnly
    case .sendAndReceive, .inactive: self
    }
  }
}
