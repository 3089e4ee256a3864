import Music
import NIOHTTP1
import Signaling

/// The addresses at which a WebSocket is taken, one for every dialect.
enum SignalPath: Hashable, Sendable {
  /// `/v1/rooms/{room}/signal`: the room as it stands in the path; whether it is a room's name is for the join to say,
  /// where a browser can read the answer.
  case native(room: String)
  /// `/room`: Kurento Room.
  case kurentoRoom
  /// `/kurento-tree`, and `/kurento-tree/websocket` as SockJS clients write it: Kurento Tree.
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
