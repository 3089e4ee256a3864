import HTTPTypes
import Hummingbird
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
  /// `/kurento-tree`, or `/kurento-tree/websocket` as SockJS clients write it: Kurento Tree.
  case kurentoTree

  static let nativePattern = "/v1/rooms/:room/signal"
  static let kurentoRoomPath = "/room"
  static let kurentoTreePaths = ["/kurento-tree", "/kurento-tree/websocket"]

  init?(uri: String) {
    let path = uri.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    switch parts {
    case ["room"]: self = .kurentoRoom
    case ["kurento-tree"], ["kurento-tree", "websocket"]: self = .kurentoTree
    default:
      guard parts.count == 4, parts[0] == "v1", parts[1] == "rooms", parts[3] == "signal",
        let room = String(parts[2]).percentDecoded
      else { return nil }
      self = .native(room: room)
    }
  }

  /// Whether this head asks for a WebSocket (RFC 6455 section 4.2.1) on a signaling link.
  static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && head.version == .http1_1
      && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
      && head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
      && head.headers["Sec-WebSocket-Version"] == ["13"] && head.headers["Sec-WebSocket-Key"].count == 1
      && SignalPath(uri: head.uri) != nil
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

  init?(_ head: HTTPRequestHead) {
    guard let path = SignalPath(uri: head.uri) else { return nil }
    self.path = path
    traits = KurentoClientTraits(
      hasOrigin: head.headers.contains(name: "Origin"), hasUserAgent: head.headers.contains(name: "User-Agent"))
    token = LinkOpening.token(inQueryOf: head.uri)
    cookie = AccessCookie.credential(in: head)
  }

  static func token(inQueryOf uri: String) -> String? {
    guard let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.first == "token", parts.count == 2 { return String(parts[1]).percentDecoded }
    }
    return nil
  }
}
