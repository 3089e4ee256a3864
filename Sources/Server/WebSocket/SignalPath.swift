import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOHTTP1
import Signaling

/// The addresses of WebSockets, one for every dialect.
enum SignalPath: Hashable, Sendable {
  /// `/v1/rooms/{room}/signal`: the room as given in the path; the join checks the name, because a browser can read its
  /// response.
  case native(room: String)
  /// `/room`: Kurento Room.
  case kurentoRoom
  /// `/kurento-tree`, or `/kurento-tree/websocket` as SockJS names it: Kurento Tree, without SockJS's frames.
  case kurentoTree
  /// `/kurento-tree/{server}/{session}/websocket`: Kurento Tree by sockjs-client.
  case kurentoTreeSockJS
  /// `/{token}` or `/ws/{token}`: XirSys' dialect A; `/v2/{token}` or `/ws/v2/{token}`: dialect B.
  case xirsys(token: String, XirSysVocabulary.Framing)

  /// `/ws`: Remote Monster.
  case remon
  /// `/rumorwebsocketsv2`: OpenTok's client wire. A client names its sockets by `socketId`, and says `reconnect=true`
  /// when it comes back.
  case openTok(socket: String?, isReturning: Bool)

  static let nativePattern = "/v1/rooms/:room/signal"
  static let kurentoRoomPath = "/room"
  static let openTokPath = "/rumorwebsocketsv2"
  static let kurentoTreePaths = ["/kurento-tree", "/kurento-tree/websocket"]

  init?(uri: String) {
    let path = uri.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    switch parts {
    case ["room"]: self = .kurentoRoom
    case [SignalPath.openTokPath.dropFirst()]:
      self = .openTok(
        socket: SignalPath.query("socketId", in: uri), isReturning: SignalPath.query("reconnect", in: uri) == "true")
    case ["kurento-tree"], ["kurento-tree", "websocket"]: self = .kurentoTree
    case ["ws"]: self = .remon
    case let parts where SockJSResource.isWebSocket(parts): self = .kurentoTreeSockJS
    default:
      if let path = SignalPath.xirsys(parts) {
        self = path
        return
      }
      guard parts.count == 4, parts[0] == "v1", parts[1] == "rooms", parts[3] == "signal",
        let room = String(parts[2]).percentDecoded
      else { return nil }
      self = .native(room: room)
    }
  }

  /// A token that nobody gave out is refused on the socket, in the words that clients look for.
  private static func xirsys(_ parts: [Substring]) -> SignalPath? {
    guard let token = parts.last.map(String.init) else { return nil }
    let shown = token.percentDecoded ?? token
    switch parts.dropLast() {
    case []: return isToken(token) ? .xirsys(token: shown, .legacy) : nil
    case ["ws"]: return .xirsys(token: shown, .legacy)
    case ["v2"], ["ws", "v2"]: return .xirsys(token: shown, .channel)
    default: return nil
    }
  }

  /// What could be a token, among all paths of one part.
  private static func isToken(_ text: String) -> Bool {
    (16...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The description of what is spoken here.
  var document: String {
    switch self {
    case .native: "docs/protocol.md"
    case .kurentoRoom, .kurentoTree, .kurentoTreeSockJS: "docs/kurento.md"
    case .xirsys: "docs/xirsys.md"
    case .remon: "docs/remon.md"
    case .openTok: "docs/opentok-client.md"
    }
  }

  var framing: LinkFraming {
    switch self {
    case .kurentoTreeSockJS: .sockJS
    case .remon: .remon
    case .openTok: .rumor
    default: .plain
    }
  }

  /// A parameter of the query.
  static func query(_ name: String, in uri: String) -> String? {
    guard let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.first == name[...], parts.count == 2 { return String(parts[1]).percentDecoded }
    }
    return nil
  }

  /// Whether this head asks for a WebSocket (RFC 6455 section 4.2.1) on a signaling link.
  static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && head.version == .http1_1
      && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
      && head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
      && head.headers["Sec-WebSocket-Version"] == ["13"] && isKey(head.headers["Sec-WebSocket-Key"])
      && SignalPath(uri: head.uri) != nil
  }

  /// One value, which is 16 bytes in base64 (RFC 6455 section 4.1, item 7).
  private static func isKey(_ values: [String]) -> Bool {
    values.count == 1 && values.first.flatMap { Base64.standard.decode($0) }?.count == 16
  }
}

/// Responds to plain requests on the native signaling link's address with an instruction.
struct SignalResource {
  var resources: [Resource] {
    [
      Resource(SignalPath.nativePattern).on(.get, .look) { _, context in
        _ = try context.room()
        throw SignalResource.upgradeRequired(document: "docs/protocol.md")
      }
    ]
  }

  /// The response to an upgrade for which no route is left, because another request came before it on its connection;
  /// nil for any other request.
  static func objection(toLate request: Request) -> Problem? {
    guard request.method == .get, request.headers[.secWebSocketKey] != nil,
      let path = SignalPath(uri: request.uri.path)
    else { return nil }
    return upgradeRequired(document: path.document)
  }

  /// The response to a plain GET on a WebSocket's address; `document` names the description of the protocol.
  static func upgradeRequired(document: String) -> Problem {
    Problem(
      .upgradeRequired, "upgrade-required", "This is a WebSocket",
      "open a WebSocket (RFC 6455, version 13) here, as the first request of its connection; \(document) describes "
        + "its protocol",
      headers: [.upgrade: "websocket", .connection: "close", .secWebSocketVersion: "13"])
  }
}

/// The contents of a link's upgrade request.
struct LinkOpening: Sendable {
  let path: SignalPath
  let traits: KurentoClientTraits
  /// The `token` of the query, for clients that cannot send it elsewhere.
  let token: String?
  /// The key or token of the studio's cookie, which no script can put into a join.
  let cookie: String?
  /// Nil if the client offers none that is acceptable.
  let compression: MessageCompression?
  /// The values of `X-Forwarded-For` and `Forwarded`, which count if a trusted proxy sent them.
  let forwardedFor: [String]
  let forwarded: [String]

  init?(_ head: HTTPRequestHead) {
    guard let path = SignalPath(uri: head.uri) else { return nil }
    self.path = path
    traits = KurentoClientTraits(
      hasOrigin: head.headers.contains(name: "Origin"), hasUserAgent: head.headers.contains(name: "User-Agent"))
    token = LinkOpening.token(inQueryOf: head.uri)
    cookie = AccessCookie.credential(in: head)
    compression = MessageCompression.accept(head.headers["Sec-WebSocket-Extensions"])
    (forwardedFor, forwarded) = (head.headers["X-Forwarded-For"], head.headers["Forwarded"])
  }

  /// What the response to the upgrade says besides the handshake.
  var responseHeaders: HTTPHeaders {
    compression.map { ["Sec-WebSocket-Extensions": $0.response] } ?? [:]
  }

  static func token(inQueryOf uri: String) -> String? { SignalPath.query("token", in: uri) }
}
