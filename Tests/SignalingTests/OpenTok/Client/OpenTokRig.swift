import Machines
import Music

@testable import Signaling

/// One client's machine of OpenTok's wire.
typealias OpenTokRig = DialectRig<OpenTokServer>

extension DialectRig where Speaker == OpenTokServer {
  static var key: String { "46000001" }
  static var connection: String { "11111111-2222-4333-8444-555555555555" }
  static var stream: String { "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee" }
  static var second: String { "bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee" }

  init(_ opening: OpenTokOpening = .named) {
    self.init(OpenTokServer(sessionID: "s", opening, on: OpenTokRig.link, at: KurentoSample.start))
  }

  var session: OpenTokSessionID { OpenTokArchiveRig.session() }

  /// A client that has come in and read the session, in which others are.
  static func joined(
    _ role: OpenTokToken.Role = .publisher, with others: [String] = [], opening: OpenTokOpening = .named
  ) -> OpenTokRig {
    var rig = OpenTokRig(opening)
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
    return enter { _ in welcome }
  }

  // MARK: Feeding

  mutating func send(_ frame: RumorFrame, on link: LinkNumber = LinkNumber(1)) -> [Output] {
    say(frame.text, from: link)
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
    let number = newID()
    let uri = "/v2/partner/\(OpenTokRig.key)/session/\(session)\(tail)"
    let payload: JSONValue = ["method": .string(method), "uri": .string(uri), "content": .object(content)]
    var headers = [RumorFrame.Header("TRANSACTION-ID", transaction ?? "t\(number)")]
    if let token { headers.append(RumorFrame.Header("X-TB-TOKEN-AUTH", token)) }
    return send(RumorFrame(.message, to: [OpenTokServer.symphony], headers, payload: payload.text))
  }

  mutating func news(_ event: OpenTokEvent) -> [Output] { tell(.session(event)) }

  mutating func room(_ event: RoomEvent) -> [Output] { tell(.room(event)) }

  /// Publishes, up to our answer.
  mutating func publish(_ stream: String = OpenTokRig.stream) -> [Output] {
    let channel: JSONValue = ["id": "audio1", "type": "audio", "active": true]
    let begun = request("create", "/stream/\(stream)", ["name": "take", "channel": .array([channel])])
    _ = feed(.replied(begun.asked[0].operation, .done))
    let offered = request("offer", "/stream/\(stream)", ["sdp": "v=0"])
    guard case .media(_, .publish(let label, _, _))? = offered.asked.first?.command else { return [] }
    return feed(.replied(offered.asked[0].operation, .answer(label, sdp: KurentoSample.answer)))
  }
}

extension [OpenTokServer.Output] {
  var frames: [RumorFrame] {
    texts.compactMap { RumorFrame(text: $0, limits: .received) }
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

  var asked: [(operation: OperationNumber, command: OpenTokCommand)] { performed }

  var commands: [OpenTokCommand] { asked.map(\.command) }

  var entry: OpenTokEntry? { entries.first }
}
