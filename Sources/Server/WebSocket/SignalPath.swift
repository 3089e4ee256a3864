import Music
import NIOHTTP1

/// The address of a room's signaling link: `/v1/rooms/{room}/signal`.
struct SignalPath: Hashable, Sendable {
  /// As it stands in the path; whether it is a room's name is for the join to say, where a browser can read the answer.
  let room: String

  static let pattern = "/v1/rooms/:room/signal"

  init?(uri: String) {
    let path = uri.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count == 4, parts[0] == "v1", parts[1] == "rooms", parts[3] == "signal",
      let room = String(parts[2]).percentDecoded
    else { return nil }
    self.room = room
  }

  static func path(of room: RoomName) -> String { "/v1/rooms/\(room.description.percentEncoded)/signal" }

  /// Whether this head asks for a WebSocket (RFC 6455 section 4.2.1) on a signaling link.
  static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
    head.method == .GET && head.version == .http1_1
      && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
      && head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
      && head.headers["Sec-WebSocket-Version"] == ["13"] && head.headers["Sec-WebSocket-Key"].count == 1
      && SignalPath(uri: head.uri) != nil
  }
}
