import Machines
import Music

@testable import Signaling

/// One socket's machine of "anna" in "take5", with a room around it that answers at once.
struct XirSysRig: ~Copyable {
  typealias Output = XirSysServer.Output

  static let link = LinkNumber(1)
  static let entry = RoomEntry(
    KurentoSample.room("take5"), JoinRequest(name: KurentoSample.member("anna").participant.name, door: .xirsys))
  static let offer = """
    v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r
    c=IN IP4 0.0.0.0\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=fingerprint:sha-256 AA\r
    a=setup:actpass\r\na=mid:0\r\na=sendrecv\r\n
    """

  /// As whom "anna" is written to by a socket.
  static func listener(_ framing: XirSysVocabulary.Framing, isPage: Bool = false) -> XirSysListener {
    XirSysListener(framing: framing, isPage: isPage, path: "studio.example/default/take5", room: "take5")
  }

  var server: XirSysServer
  var now = KurentoSample.start

  init(
    _ framing: XirSysVocabulary.Framing = .legacy, isPage: Bool = false, opening: XirSysOpening = .enter(entry)
  ) {
    server = XirSysServer(
      sessionID: "s", opening, as: XirSysRig.listener(framing, isPage: isPage), on: XirSysRig.link, at: now)
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
    guard case .join(let operation, _)? = drain().first else { return [] }
    return feed(.joined(operation, XirSysRig.seating(others, topology: topology)))
  }

  static func seating(_ others: [String], topology: RoomPolicy.Topology = .routed) -> Seating {
    var snapshot = KurentoSample.snapshot((others + ["anna"]).map { KurentoSample.member($0) })
    snapshot.policy.topology = topology
    for index in snapshot.members.indices { snapshot.members[index].isDirect = topology == .mesh }
    return Seating(
      participant: KurentoSample.id("anna"), resumeSecret: "r", snapshot: snapshot, gracePeriod: 30,
      authority: .musician)
  }

  mutating func feed(_ input: XirSysServer.Input) -> [Output] {
    server.handle(input, at: now)
    return drain()
  }

  mutating func drain() -> [Output] {
    var outputs: [Output] = []
    while let output = server.next() { outputs.append(output) }
    return outputs
  }

  mutating func say(_ text: String) -> [Output] { feed(.text(text, from: XirSysRig.link)) }

  /// A message of dialect A.
  mutating func send(_ event: String, to target: String, _ data: JSONValue) -> [Output] {
    let frame: JSONValue = ["eventName": .string(event), "targetUserId": .string(target), "data": data]
    return say(frame.text)
  }

  mutating func offer(to target: String, connection: String) -> [Output] {
    let description: JSONValue = ["sdp": .string(XirSysRig.offer), "type": "offer"]
    return send("offer", to: target, ["connectionId": .string(connection), "offer": description])
  }

  mutating func event(_ event: RoomEvent) -> [Output] { feed(.event(.room(event))) }

  mutating func arrives(_ name: String) -> [Output] { event(.joined(KurentoSample.member(name))) }

  mutating func leaves(_ name: String) -> [Output] { event(.left(KurentoSample.id(name))) }

  mutating func wait(_ seconds: Int64) -> [Output] {
    now = now + .seconds(seconds)
    server.advance(to: now)
    return drain()
  }
}

extension [XirSysServer.Output] {
  /// The texts that go to the client.
  var texts: [String] {
    compactMap { if case .notify(let text) = $0 { text } else { nil } }
  }

  /// The frames of dialect A as "type from".
  var told: [String] {
    texts.compactMap { text in
      guard let frame = (try? JSONValue(parsing: text))?.object else { return nil }
      return "\(frame["type"]?.string ?? "") \(frame["userid"]?.string ?? "")"
    }
  }

  var frames: [JSONObject] { texts.compactMap { (try? JSONValue(parsing: $0))?.object } }

  /// The commands to the room, with their operations.
  var asked: [(operation: OperationNumber, command: RoomCommand)] {
    compactMap { if case .perform(let operation, .room(let command)) = $0 { (operation, command) } else { nil } }
  }

  var commands: [RoomCommand] { asked.map(\.command) }

  /// Everything that is asked of the seat.
  var performed: [(OperationNumber, XirSysCommand)] {
    compactMap { if case .perform(let operation, let command) = $0 { (operation, command) } else { nil } }
  }

  /// What is passed on, and to whom.
  var relayed: [(XirSysMessage, String?)] {
    compactMap { if case .perform(_, .relay(let message, let target)) = $0 { (message, target) } else { nil } }
  }

  var end: UInt16? {
    for output in self { if case .end(let code, _) = output { return code } }
    return nil
  }
}
