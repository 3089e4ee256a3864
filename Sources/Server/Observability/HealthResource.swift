import HTTPTypes
import Hummingbird
import Rooms
import Signaling

/// `/healthz` (the process answers) and `/readyz` (it takes musicians), for supervisors and load balancers.
struct HealthResource {
  let broker: Broker

  var resources: [Resource] {
    [
      Resource("/healthz").on(.get) { _, _ in Response(json: ["status": "ok"]) },
      Resource("/readyz").on(.get) { _, _ in
        guard broker.isReady else {
          return Response(
            json: ["status": "not ready"], status: .serviceUnavailable, headers: [.retryAfter: "1"])
        }
        // Musicians are recorded all the same, so that nobody has to send them elsewhere.
        guard !broker.index.isBehind else { return Response(json: ["status": "ready", "index": "behind"]) }
        return Response(json: ["status": "ready"])
      },
    ]
  }
}
