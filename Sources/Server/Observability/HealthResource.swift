import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import Rooms
import Signaling

/// `/healthz` (the process responds) and `/readyz` (it accepts musicians), for supervisors and load balancers.
struct HealthResource {
  let broker: Broker
  let objects: Objects?

  var resources: [Resource] {
    [
      Resource("/healthz").on(.get, .look) { _, _ in Response(json: ["status": "ok"]) },
      Resource("/readyz").on(.get, .look) { _, _ in
        guard broker.isReady else {
          return Response(
            json: ["status": "not ready"], status: .serviceUnavailable, headers: [.retryAfter: "1"])
        }
        // Recording works without the index, so a load balancer need not send musicians elsewhere.
        var status: JSONObject = ["status": "ready"]
        if broker.index.isBehind { status["index"] = "behind" }
        // Nor is anything lost without the object store.
        for member in objects?.readiness.members ?? [] { status[member.name] = member.value }
        return Response(json: .object(status))
      },
    ]
  }
}

/// Whether the service works, as far as its own threads show it.
package enum Pulse {
  /// Returns once every thread that carries packets, live mixes, requests or links has responded; called again and again
  /// for a watchdog. Does not return while one of them hangs.
  /// - Throws: `EventLoopError` if the threads of HTTP have ended.
  package static func take(of broker: Broker) async throws {
    await broker.respond()
    for loop in Array(MultiThreadedEventLoopGroup.singleton.makeIterator()) { try await loop.submit {}.get() }
  }
}
