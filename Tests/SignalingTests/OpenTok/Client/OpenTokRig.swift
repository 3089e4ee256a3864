import Machines
import Music

@testable import Signaling

/// One client's machine in a session, with a room around it that the test answers for.
struct OpenTokRig: ~Copyable {
  typealias Output = OpenTokServer.Output

  static let link = LinkNumber(1)
  static let key = "46000001"
  static let connection = "11111111-2222-4333-8444-555555555555"
  static let stream = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
  static let hashes = OpenTokHashes(
    sha1: { Array(($1 + $0 + [UInt8](repeating: 1, count: 20)).suffix(20)) },
    sha256: { Array(($1 + $0 + [UInt8](repeating: 2, count: 32)).suffix(32)) })

  static func session() throws -> OpenTokSessionID {
    let project = try OpenTokProject(key: key, secret: String(repeating: "a1", count: 20))
    return try OpenTokSessionID(of: project, nonce: ULID(high: 1, low: 7), hashes: hashes)
  }

  let session: OpenTokSessionID
  var server: OpenTokServer
  var now = KurentoSample.start
  private var lastTransaction = 0

  init(_ opening: OpenTokOpening = .named) throws {
    session = try OpenTokRig.session()
    server = OpenTokServer(sessionID: "s", opening, on: OpenTokRig.link, at: now)
  }

  /// A client that has come in and read the session, in which others are.
  static func joined(
    _ role: OpenTokToken.Role = .publisher, with others: [String] = [], opening: OpenTokOpening = .named
  ) throws -> OpenTokRig {
    var rig = try OpenTokRig(opening)
    _ = rig.connect()
    _ = rig.request("create", "/connection/\(connection)", token: "T1==x")
    _ = rig.welcome(role, others)
    _ = rig.request("read", "")
    return rig
  }

  // MARK: Others

  static func other(_ name: String) -> OpenTokConnection {
    OpenTokConnection(
      id: OpenTokConnectionID(of: KurentoSample.id(name)), participant: KurentoSample.id(name),
      createdAt: WallTime(milliseconds: 5), data: name)
  }

  static func stream(of name: String, hasAudio: Bool = true) -> OpenTokStream {
    OpenTokStream(
      id: OpenTokStreamID(of: KurentoSample.id(name)), connection: other(name).id, participant: KurentoSample.id(name),
      createdAt: WallTime(milliseconds: 6), name: name, hasAudio: hasAudio)
  }

  var me: OpenTokConnection {
    var me = OpenTokRig.other("me")
    me.id = OpenTokConnectionID(OpenTokRig.connection) ?? me.id
    return me
  }

  mutating func welcome(
    _ role: OpenTokToken.Role, _ others: [String], take: RoomSnapshot.RollingTake? = nil
  ) -> [Output] {
    let state = OpenTokSessionState(
      session: session, createdAt: WallTime(milliseconds: 1), connections: others.map(OpenTokRig.other) + [me],
      streams: others.map { OpenTokRig.stream(of: $0) })
    let servers = [ICEServer(urls: ["stun:a", "turn:b"], username: "u", credential: "c")]
    let welcome = OpenTokWelcome(role: role, me: me, scene: OpenTokScene(state, take: take), iceServers: servers)
    return feed(.joined(OperationNumber(1), welcome))
  }

  // MARK: Feeding

  mutating func feed(_ input: OpenTokServer.Input) -> [Output] {
    server.handle(input, at: now)
    return drain()
  }

  mutating func drain() -> [Output] {
    var outputs: [Output] = []
    while let output = server.next() { outputs.append(output) }
    return outputs
  }

  mutating func send(_ frame: RumorFrame, on link: LinkNumber = link) -> [Output] {
    feed(.text(frame.text, from: link))
  }

  mutating func connect() -> [Output] {
    let headers = [
      RumorFrame.Header("uniqueId", OpenTokRig.connection), RumorFrame.Header("TRANSACTION-ID", "connect"),
    ]
    return send(RumorFrame(.connect, headers))
  }

  /// A request; its transaction is "t1" and on.
  mutating func request(
    _ method: String, _ tail: String, _ content: JSONObject = [:], token: String? = nil, transaction: String? = nil
  ) -> [Output] {
    lastTransaction += 1
    let uri = "/v2/partner/\(OpenTokRig.key)/session/\(session)\(tail)"
    let payload: JSONValue = ["method": .string(method), "uri": .string(uri), "content": .object(content)]
    var headers = [RumorFrame.Header("TRANSACTION-ID", transaction ?? "t\(lastTransaction)")]
    if let token { headers.append(RumorFrame.Header("X-TB-TOKEN-AUTH", token)) }
    return send(RumorFrame(.message, to: [OpenTokServer.symphony], headers, payload: payload.text))
  }

  mutating func news(_ event: OpenTokEvent) -> [Output] { feed(.event(.session(event))) }

  mutating func room(_ event: RoomEvent) -> [Output] { feed(.event(.room(event))) }

  mutating func wait(_ milliseconds: Int64) -> [Output] {
    now = now + .milliseconds(milliseconds)
    if let due = server.deadline, due <= now { server.advance(to: now) }
    return drain()
  }

  /// Publishes, up to our answer.
  mutating func publish() -> [Output] {
    let channel: JSONValue = ["id": "audio1", "type": "audio", "active": true]
    let begun = request("create", "/stream/\(OpenTokRig.stream)", ["name": "take", "channel": .array([channel])])
    _ = feed(.replied(begun.asked[0].operation, .done))
    let offered = request("offer", "/stream/\(OpenTokRig.stream)", ["sdp": "v=0"])
    guard case .room(.publish(let label, _, _))? = offered.asked.first?.command else { return [] }
    return feed(.replied(offered.asked[0].operation, .answer(label, sdp: KurentoSample.answer)))
  }
}

extension [OpenTokServer.Output] {
  var frames: [RumorFrame] {
    compactMap { output in
      if case .notify(let text) = output { RumorFrame(text: text, limits: .received) } else { nil }
    }
  }

  /// "transaction status" of every answer.
  var statuses: [String] {
    frames.filter { $0.kind == .status }.map { "\($0["TRANSACTION-ID"] ?? "") \($0["STATUS"] ?? "")" }
  }

  /// The messages of Raptor.
  var messages: [RaptorMessage] {
    frames.filter { $0.kind == .message }.compactMap { try? RaptorMessage(parsing: $0.payload, limits: .received) }
  }

  /// "method tail" of every message.
  var told: [String] {
    messages.map { message in
      let parts = message.place.uri.split(separator: "/").dropFirst(5)
      return ([message.method.rawValue] + parts.map(String.init)).joined(separator: " ")
    }
  }

  var asked: [(operation: OperationNumber, command: OpenTokCommand)] {
    compactMap { if case .perform(let operation, let command) = $0 { (operation, command) } else { nil } }
  }

  var commands: [OpenTokCommand] { asked.map(\.command) }

  var entry: OpenTokEntry? {
    for output in self { if case .join(_, let entry) = output { return entry } }
    return nil
  }

  var end: UInt16? {
    for output in self { if case .end(let code, _) = output { return code } }
    return nil
  }

  var closed: UInt16? {
    for output in self { if case .close(_, let code, _) = output { return code } }
    return nil
  }
}
