import HTTPTypes
import Hummingbird
import Rooms
import Signaling

/// `/healthz` (the process responds) and `/readyz` (it accepts musicians), for supervisors and load balancers.
struct HealthResource {
  let broker: Broker

  var resources: [Resource] {
    [
      Resource("/healthz").on(.get, .look) { _, _ in Response(json: ["status": "ok"]) },
      Resource("/readyz").on(.get, .look) { _, _ in
        guard broker.isReady else {
          return Response(
            json: ["status": "not ready"], status: .serviceUnavailable, headers: [.retryAfter: "1"])
        }
        // Recording works without the index, so a load balancer need not send musicians elsewhere.
        guard !broker.index.isBehind else { return Response(json: ["status": "ready", "index": "behind"]) }
        return Response(json: ["status": "ready"])
      },
    ]
  }
}
