import HTTPTypes
import Hummingbird
import Library
import Machines
import Music
import NIOCore
import Realtime
import Rooms
import Signaling
import Synchronization

/// `/metrics` in the text format of Prometheus.
struct MetricsResource {
  let broker: Broker
  let metrics: RequestMetrics
  let sessions: MediaSessions
  let webhooks: WebhookCounts
  let doors: Doors
  let places: ConnectionPlaces
  let transcoders: Transcoders
  let quotas: Quotas

  var resources: [Resource] {
    [
      Resource("/metrics").on(.get, .readMetrics) { _, _ in
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
        let converting = transcoders.current
        gauge("jamjar_transcoders", converting.running)
        gauge("jamjar_transcoders_limit", transcoders.limit)
        lines += [
          "# TYPE jamjar_transcoders_refused_total counter", "jamjar_transcoders_refused_total \(converting.refused)",
        ]
        let connections = places.counts
        for (name, value) in [
          ("closed_idle", connections.closedIdle), ("closed_strangers", connections.closedStrangers),
          ("pauses", connections.pauses), ("failures", connections.failures),
        ] {
          lines += ["# TYPE jamjar_connections_\(name)_total counter", "jamjar_connections_\(name)_total \(value)"]
        }
        let refused = broker.refusedCandidates
        lines.append("# TYPE jamjar_ice_candidates_refused_total counter")
        lines += CandidatePolicy.Objection.allCases.map { objection in
          "jamjar_ice_candidates_refused_total{reason=\"\(objection.rawValue)\"} \(refused[objection, default: 0])"
        }
        lines += quotas.metricLines()
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

/// Counts of requests, with labels from closed sets only: patterns of routes, standard methods, classes of status.
final class RequestMetrics: Sendable {
  private struct Labels: Hashable {
    var method: String
    var route: String
    var status: String
  }

  private struct Counts {
    var requests: [Labels: Int] = [:]
    var seconds = 0.0
    var linksOpened = 0
    var linksClosed = 0
  }

  private let counts = Mutex(Counts())

  func count(method: HTTPRequest.Method, route: String, status: HTTPResponse.Status, elapsed: MonotonicTime.Span) {
    let labels = Labels(
      method: Resource.standardMethods.contains(method) ? method.rawValue : "other", route: route,
      status: "\(status.code / 100)xx")
    counts.withLock { counts in
      counts.requests[labels, default: 0] += 1
      counts.seconds += elapsed.seconds
    }
  }

  func linkOpened() { counts.withLock { $0.linksOpened += 1 } }
  func linkClosed() { counts.withLock { $0.linksClosed += 1 } }

  /// In the text format of Prometheus (version 0.0.4).
  func lines() -> [String] {
    counts.withLock { counts in
      var lines = ["# TYPE jamjar_http_requests_total counter"]
      lines += counts.requests.map { labels, count in
        "jamjar_http_requests_total{method=\"\(labels.method)\",route=\"\(labels.route)\",status=\"\(labels.status)\"} \(count)"
      }.sorted()
      lines += [
        "# TYPE jamjar_http_request_seconds_total counter", "jamjar_http_request_seconds_total \(counts.seconds)",
      ]
      lines += ["# TYPE jamjar_links_opened_total counter", "jamjar_links_opened_total \(counts.linksOpened)"]
      lines += ["# TYPE jamjar_links gauge", "jamjar_links \(counts.linksOpened - counts.linksClosed)"]
      return lines
    }
  }
}
