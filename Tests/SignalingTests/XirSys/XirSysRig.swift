import Machines
import Music

@testable import Signaling

/// One socket's machine of "anna" in "take5".
typealias XirSysRig = DialectRig<XirSysServer>

extension DialectRig where Speaker == XirSysServer {
  static var entry: RoomEntry {
    RoomEntry(
      KurentoSample.room("take5"), JoinRequest(name: KurentoSample.member("anna").participant.name, door: .xirsys))
  }
  static var offer: String {
    """
    v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r
    c=IN IP4 0.0.0.0\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=fingerprint:sha-256 AA\r
    a=setup:actpass\r\na=mid:0\r\na=sendrecv\r\n
    """
  }

  /// As whom "anna" is written to by a socket.
  static func listener(_ framing: XirSysVocabulary.Framing, isPage: Bool = false) -> XirSysListener {
    XirSysListener(framing: framing, isPage: isPage, path: "studio.example/default/take5", room: "take5")
  }

  init(
    _ framing: XirSysVocabulary.Framing = .legacy, isPage: Bool = false, opening: XirSysOpening = .enter(entry)
  ) {
    self.init(
      XirSysServer(
        sessionID: "s", opening, as: XirSysRig.listener(framing, isPage: isPage), on: XirSysRig.link,
        at: KurentoSample.start))
  }

  /// Joined, with these others in the room; what was said then is in `first`.
  static func joined(
    _ others: [String] = [], _ framing: XirSysVocabulary.Framing = .legacy, isPage: Bool = false,
    topology: RoomPolicy.Topology = .routed
  ) -> XirSysRig {
    var rig = XirSysRig(framing, isPage: isPage)
    _ = rig.join(others, topology: topology)
    return rig
  }

  mutating func join(_ others: [String], topology: RoomPolicy.Topology = .routed) -> [Output] {
    _ = drain()
    return enter { _ in XirSysRig.seating(others, topology: topology) }
  }

  static func seating(_ others: [String], topology: RoomPolicy.Topology = .routed) -> Seating {
    var snapshot = KurentoSample.snapshot((others + ["anna"]).map { KurentoSample.member($0) })
    snapshot.policy.topology = topology
    for index in snapshot.members.indices { snapshot.members[index].isDirect = topology == .mesh }
    return Seating(
      participant: KurentoSample.id("anna"), resumeSecret: "r", snapshot: snapshot, gracePeriod: 30,
      authority: .musician)
  }

  /// A message of dialect A.
  mutating func send(_ event: String, to target: String, _ data: JSONValue) -> [Output] {
    let frame: JSONValue = ["eventName": .string(event), "targetUserId": .string(target), "data": data]
    return say(frame.text)
  }

  mutating func offer(to target: String, connection: String) -> [Output] {
    let description: JSONValue = ["sdp": .string(XirSysRig.offer), "type": "offer"]
    return send("offer", to: target, ["connectionId": .string(connection), "offer": description])
  }

  mutating func event(_ event: RoomEvent) -> [Output] { tell(.room(event)) }

  mutating func arrives(_ name: String) -> [Output] { event(.joined(KurentoSample.member(name))) }

  mutating func leaves(_ name: String) -> [Output] { event(.left(KurentoSample.id(name))) }
}

extension [XirSysServer.Output] {
  /// The frames of dialect A as "type from".
  var told: [String] {
    frames.map { "\($0["type"]?.string ?? "") \($0["userid"]?.string ?? "")" }
  }

  var frames: [JSONObject] { texts.objects }

  /// The commands to the room, with their operations.
  var asked: [(operation: OperationNumber, command: RoomCommand)] {
    compactMap { if case .perform(let operation, .room(let command)) = $0 { (operation, command) } else { nil } }
  }

  var commands: [RoomCommand] { asked.map(\.command) }

  /// What is passed on, and to whom.
  var relayed: [(XirSysMessage, String?)] {
    compactMap { if case .perform(_, .relay(let message, let target)) = $0 { (message, target) } else { nil } }
  }
}
