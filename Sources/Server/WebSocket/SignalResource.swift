import HTTPTypes
import Hummingbird
import Signaling

/// The signaling link's address for requests that are no upgrade: they are told what to do.
struct SignalResource {
  var resources: [Resource] {
    [
      Resource(SignalPath.pattern).on(.get) { _, context in
        _ = try context.room()
        throw Problem(
          .upgradeRequired, "upgrade-required", "This is a WebSocket",
          "open a WebSocket (RFC 6455, version 13) here, as the first request of its connection; docs/protocol.md says "
            + "what is spoken on it",
          headers: [.upgrade: "websocket", .connection: "close", .secWebSocketVersion: "13"])
      }
    ]
  }
}
