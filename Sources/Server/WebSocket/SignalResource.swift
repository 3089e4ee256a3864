import HTTPTypes
import Hummingbird
import Signaling

/// Responds to plain requests on the native signaling link's address with an instruction.
struct SignalResource {
  var resources: [Resource] {
    [
      Resource(SignalPath.nativePattern).on(.get) { _, context in
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
