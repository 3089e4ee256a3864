import HTTPTypes
import Machines
import Synchronization

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
