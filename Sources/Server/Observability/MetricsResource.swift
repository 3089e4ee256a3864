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
  let webhooks: Counter<WebhookCounts>
  let doors: Doors
  let application: ApplicationMethods
  let places: ConnectionPlaces
  let transcoders: Transcoders
  let connections: RTMPConnections
  let quotas: Quotas
  let bots: BotDesk
  let objects: Objects?

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
        lines += doors.metricLines
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
        let states = bots.reports.map(\.state)
        lines.append("# TYPE jamjar_bots gauge")
        lines += BotState.allCases.map { state in
          "jamjar_bots{state=\"\(state.rawValue)\"} \(states.count { $0 == state })"
        }
        lines += objects?.metricLines ?? []
        lines += await traffic()
        lines += quotas.metricLines()
        let counts = webhooks.current
        lines.append("# TYPE jamjar_webhook_deliveries_total counter")
        for (outcome, count) in [
          ("delivered", counts.delivered), ("retried", counts.failedAttempts), ("given_up", counts.givenUp),
        ] {
          lines.append("jamjar_webhook_deliveries_total{outcome=\"\(outcome)\"} \(count)")
        }
        let calls = application.counts.current
        lines.append("# TYPE jamjar_method_calls_total counter")
        for (outcome, count) in [
          ("answered", calls.answered), ("refused", calls.refused), ("failed", calls.failed),
        ] {
          lines.append("jamjar_method_calls_total{outcome=\"\(outcome)\"} \(count)")
        }
        return Response(
          status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: lines.joined(separator: "\n") + "\n")))
      }
    ]
  }

  /// What carries music, by dialect: a closed set.
  private func traffic() async -> [String] {
    // Asking adds what is new to the totals.
    let all = await broker.connections() + connections.statistics
    let totals = broker.traffic.current
    var lines = ["# TYPE jamjar_media_connections gauge"]
    var open: [Authorisation.Door: Int] = [:]
    var buffered: [Authorisation.Door: Int] = [:]
    for connection in all {
      open[connection.dialect, default: 0] += 1
      buffered[connection.dialect, default: 0] += connection.buffered
    }
    let dialects = Authorisation.Door.allCases.filter { $0 != .rest }
    lines += dialects.map { "jamjar_media_connections{dialect=\"\($0.rawValue)\"} \(open[$0, default: 0])" }
    lines.append("# TYPE jamjar_media_buffered_bytes gauge")
    lines += dialects.map { "jamjar_media_buffered_bytes{dialect=\"\($0.rawValue)\"} \(buffered[$0, default: 0])" }
    lines.append("# TYPE jamjar_media_bytes_total counter")
    for dialect in dialects {
      let sum = totals[dialect] ?? TrafficTotals.Sum()
      for (direction, bytes) in [("in", sum.received), ("out", sum.sent)] {
        lines.append("jamjar_media_bytes_total{dialect=\"\(dialect.rawValue)\",direction=\"\(direction)\"} \(bytes)")
      }
    }
    lines.append("# TYPE jamjar_media_dropped_total counter")
    lines += dialects.map {
      "jamjar_media_dropped_total{dialect=\"\($0.rawValue)\"} \((totals[$0] ?? TrafficTotals.Sum()).dropped)"
    }
    return lines
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
