import Machines
import Music

@testable import Signaling

/// One socket's machine of Remote Monster.
typealias RemonRig = DialectRig<RemonServer>

extension DialectRig where Speaker == RemonServer {
  static var pass: RemonPass {
    RemonPass(token: "tok-anna", serviceID: "band", meta: #"{"name":"anna"}"#, proposal: "PROPOSED1")
  }
  static var offer: String { XirSysRig.offer }

  init() { self.init(RemonServer(on: RemonRig.link, at: KurentoSample.start)) }

  /// A socket whose first frame was bound; what was said then is thrown away.
  static func entering(_ command: String, _ channel: JSONValue, pass: RemonPass = pass) -> RemonRig {
    var rig = RemonRig()
    _ = rig.send(command, ["channel": channel])
    _ = rig.bind(pass)
    return rig
  }

  /// In a call with these others.
  static func call(_ others: [String] = [], topology: RoomPolicy.Topology = .routed) -> RemonRig {
    var rig = entering("connect", ["id": "take5", "type": "P2P"])
    _ = rig.join(others, topology: topology)
    return rig
  }

  /// Answers the question for the token.
  mutating func bind(_ pass: RemonPass = RemonRig.pass) -> [Output] { answer(.pass(pass)) }

  mutating func join(
    _ others: [String], topology: RoomPolicy.Topology = .routed, publishing: Bool = false, away: Set<String> = []
  ) -> [Output] {
    guard let (operation, entry) = lastJoin else { return [] }
    var own = KurentoSample.member("anna", role: entry.request.role)
    own.meta = entry.request.meta
    var members = others.map { KurentoSample.member($0, publishes: publishing) } + [own]
    for index in members.indices where away.contains(members[index].participant.name.description) {
      members[index].isConnected = false
    }
    for index in members.indices where topology == .mesh {
      members[index].isDirect = true
      members[index].door = .remon
    }
    var snapshot = KurentoSample.snapshot(of: entry.room.description, members)
    snapshot.policy.topology = topology
    return feed(
      .joined(
        operation,
        Seating(
          participant: KurentoSample.id("anna"), resumeSecret: "r", snapshot: snapshot, gracePeriod: 30,
          authority: .musician)))
  }

  mutating func send(_ command: String, _ members: JSONObject = [:], token: String? = "tok-anna") -> [Output] {
    var frame: JSONObject = ["command": .string(command), "serviceId": "band"]
    if let token { frame["token"] = .string(token) }
    for member in members.members { frame[member.name] = member.value }
    return say(JSONValue.object(frame).text)
  }

  mutating func describe(_ type: String, _ sdp: String = RemonRig.offer) -> [Output] {
    let body: JSONValue = ["type": .string(type), "sdp": .string(sdp)]
    return send("sdp", ["body": .string(body.text)])
  }

  mutating func event(_ event: RoomEvent) -> [Output] { tell(.room(event)) }

  mutating func arrives(_ name: String, isDirect: Bool = false, publishes: Bool = false) -> [Output] {
    var member = KurentoSample.member(name, publishes: publishes)
    if isDirect { (member.isDirect, member.door) = (true, .remon) }
    return event(.joined(member))
  }

  mutating func leaves(_ name: String) -> [Output] { event(.left(KurentoSample.id(name))) }
}

extension [RemonServer.Output] {
  /// The frames that go to the client.
  var frames: [JSONObject] { texts.objects }

  /// Their commands, with the code or the state.
  var told: [String] {
    frames.map { frame in
      let detail = frame["code"]?.string ?? frame["channel"]?.object?["status"]?.string ?? ""
      return "\(frame["command"]?.string ?? "") \(detail)"
    }
  }

  var commands: [RemonCommand] { performed.map(\.command) }

  /// The commands to the room.
  var asked: [RoomCommand] {
    commands.compactMap { if case .room(let command) = $0 { command } else { nil } }
  }
}
