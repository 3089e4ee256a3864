import Machines
import Music
import Realtime
import Recording

/// Two ends of a connection, and no network between them.
struct WatchedPeers: ~Copyable {
  /// A musician or a listener that came.
  var guest: PeerSession
  /// Our end.
  var host: PeerSession
  /// What our end agreed on.
  let agreed: NegotiatedSession

  private static let start = MonotonicTime(nanoseconds: 5_000_000_000)
  private static let (guestSource, hostSource): (UInt32, UInt32) = (MediaHead.source, 0x2222_2222)
  /// How often the journal is taken for the disk: as often as three musicians make 50 ms.
  private static let packetsAWrite = 8

  /// A guest offers, we answer, and the handshake goes to its end.
  ///
  /// - Parameter sends: true for a musician, false for a listener.
  private static func meet(
    _ certificates: (guest: DTLSCertificate, host: DTLSCertificate), sends: Bool
  ) throws -> WatchedPeers {
    let (guestRole, hostRole): (Negotiation.Role, Negotiation.Role) =
      sends ? (.sendToPeer, .receiveFromPeer) : (.receiveFromPeer, .sendToPeer)
    func transport(_ certificate: DTLSCertificate) -> LocalTransport {
      LocalTransport(
        credentials: .init(usernameFragment: "jamj", password: "0123456789abcdefghijklmn"),
        fingerprint: certificate.fingerprint,
        candidates: ["candidate:1 1 UDP 2015363327 192.0.2.2 40000 typ host"])
    }
    let offer = try SessionDescription(
      parsing: Negotiation.offer(
        role: guestRole, transport: transport(certificates.guest), ssrc: sends ? guestSource : nil,
        cname: "guest", sessionID: 1
      ).text)
    let (answer, agreed) = try Negotiation.answer(
      to: offer, role: hostRole, transport: transport(certificates.host),
      ssrc: sends ? nil : hostSource, cname: "jamjar", sessionID: 2)
    let accepted = try Negotiation.accept(
      answer: SessionDescription(parsing: answer.text), to: offer, role: guestRole)
    var peers = WatchedPeers(
      guest: try PeerSession(
        negotiated: accepted, certificate: certificates.guest,
        configuration: .init(localSSRC: guestSource, cname: "guest", negotiated: accepted)),
      host: try PeerSession(
        negotiated: agreed, certificate: certificates.host,
        configuration: .init(localSSRC: hostSource, cname: "jamjar", negotiated: agreed)),
      agreed: agreed)
    peers.host.pathConnected(at: WatchedPeers.start)
    peers.guest.pathConnected(at: WatchedPeers.start)
    try peers.shakeHands()
    return peers
  }

  private mutating func shakeHands() throws {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      while let output = guest.next() {
        guard case .send(let bytes) = output else { continue }
        isQuiet = false
        bytes.withUnsafeBytes { _ = host.receive($0, at: WatchedPeers.start) }
      }
      while let output = host.next() {
        guard case .send(let bytes) = output else { continue }
        isQuiet = false
        bytes.withUnsafeBytes { _ = guest.receive($0, at: WatchedPeers.start) }
      }
    }
    guard guest.isConnected, host.isConnected else { throw FidelityProblem("the handshake did not end") }
  }

  /// Musicians come in. Certificates are those of a service that runs, and the first one is preparation.
  static func join(_ count: Int) throws {
    let certificates = (guest: try DTLSCertificate(), host: try DTLSCertificate())
    _ = try meet(certificates, sends: true)
    try Watch.count { for _ in 0..<count { _ = try meet(certificates, sends: true) } }
  }

  /// A musician's packets: opened, journaled, and protected for two listeners.
  static func packets(_ count: Int) throws {
    let certificates = (guest: try DTLSCertificate(), host: try DTLSCertificate())
    var musician = try meet(certificates, sends: true)
    var first = try meet(certificates, sends: false)
    var second = try meet(certificates, sends: false)
    let payload = [UInt8](repeating: 0x5A, count: MediaHead.packetLength - 12)
    var datagrams: [[UInt8]] = []
    for index in 0..<count {
      musician.guest.send(rtp: MediaHead.bytes(index) + payload, at: start)
      while let output = musician.guest.next() { if case .send(let bytes) = output { datagrams.append(bytes) } }
    }
    let source = Forwarder.Source(session: musician.agreed)
    let take = try ScratchTake()
    var journal = JournalWriter(header: JournalHeader(take: take.take, zero: start, software: "jamjar fidelity"))
    var (opened, forwarded, written) = (0, 0, 0)
    Watch.count {
      for (index, datagram) in datagrams.enumerated() {
        let now = start + .milliseconds(Int64(index) * 20)
        datagram.withUnsafeBytes { _ = musician.host.receive($0, at: now) }
        while let output = musician.host.next() {
          guard case .rtp(let packet) = output else { continue }
          opened += 1
          first.host.forward(packet, from: source, at: now) { forwarded += $0.isEmpty ? 0 : 1 }
          second.host.forward(packet, from: source, at: now) { forwarded += $0.isEmpty ? 0 : 1 }
          journal.append(rtp: packet.packet.bytes, track: 1, arrival: packet.arrival)
        }
        if let due = musician.host.deadline, due <= now { musician.host.advance(to: now) }
        if index % packetsAWrite == 0 { written += journal.take().count }
      }
    }
    guard opened == count, forwarded == 2 * count, written > 0 else {
      throw FidelityProblem("of \(count) packets \(opened) were opened and \(forwarded) forwarded")
    }
  }
}
