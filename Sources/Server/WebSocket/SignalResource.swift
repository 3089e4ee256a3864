import HTTPTypes
import Hummingbird
import Signaling

/// The native signaling link's address for requests that are no upgrade: they are told what to do.
struct SignalResource {
  var resources: [Resource] {
    [
      Resource(SignalPath.nativePattern).on(.get) { _, context in
        _ = try context.room()
        throw SignalResource.upgradeRequired(document: "docs/protocol.md")
      }
    ]
  }

  /// What a plain GET on a WebSocket's address is answered; `document` says what is spoken there.
  static func upgradeRequired(document: String) -> Problem {
    Problem(
      .upgradeRequired, "upgrade-required", "This is a WebSocket",
      "open a WebSocket (RFC 6455, version 13) here, as the first request of its connection; \(document) says what is "
        + "spoken on it",
      headers: [.upgrade: "websocket", .connection: "close", .secWebSocketVersion: "13"])
  }
}
