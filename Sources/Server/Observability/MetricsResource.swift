import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Rooms
import Signaling

/// `/metrics` in the text format of Prometheus.
struct MetricsResource {
  let broker: Broker
  let metrics: RequestMetrics
  let sessions: MediaSessions
  let webhooks: WebhookCounts
  let doors: Doors
  let places: ConnectionPlaces

  var resources: [Resource] {
    [
      Resource("/metrics").on(.get) { _, _ in
        let rooms = await broker.snapshots()
        var lines = metrics.lines()
        func gauge(_ name: String, _ value: Int) {
          lines += ["# TYPE \(name) gauge", "\(name) \(value)"]
        }
        gauge("jamjar_rooms", rooms.count)
        gauge("jamjar_musicians", rooms.reduce(0) { $0 + $1.members.count { $0.role == .musician } })
        gauge("jamjar_listeners", rooms.reduce(0) { $0 + $1.members.count { $0.role == .listener } })
        gauge("jamjar_takes_rolling", rooms.count { $0.take != nil })
        gauge("jamjar_media_sessions", sessions.count)
        gauge("jamjar_kurento_room_sessions", doors.rooms.count)
        gauge("jamjar_kurento_tree_sessions", doors.trees.count)
        gauge("jamjar_trees", doors.forest.count)
        gauge("jamjar_event_readers", broker.events.streamCount)
        gauge("jamjar_index_behind", broker.index.isBehind ? 1 : 0)
        gauge("jamjar_index_backlog", broker.index.count)
        gauge("jamjar_connections", places.count)
        gauge("jamjar_connections_limit", places.limit)
        let connections = places.counts
        for (name, value) in [
          ("closed_idle", connections.closedIdle), ("pauses", connections.pauses), ("failures", connections.failures),
        ] {
          lines += ["# TYPE jamjar_connections_\(name)_total counter", "jamjar_connections_\(name)_total \(value)"]
        }
        let counts = webhooks.current
        lines.append("# TYPE jamjar_webhook_deliveries_total counter")
        for (outcome, count) in [
          ("delivered", counts.delivered), ("retried", counts.failedAttempts), ("given_up", counts.givenUp),
        ] {
          lines.append("jamjar_webhook_deliveries_total{outcome=\"\(outcome)\"} \(count)")
        }
        return Response(
          status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: lines.joined(separator: "\n") + "\n")))
      }
    ]
  }
}
