import NIOHTTP1
import Testing

@testable import Server

@Suite struct StudioTests {
  @Test func servesTheEmbeddedFiles() async throws {
    try await TestService.with { service async throws in
      for (path, type) in [("/", "text/html"), ("/studio.js", "text/javascript"), ("/studio.css", "text/css")] {
        let answer = try await service.send(.GET, path)
        #expect(answer.status == 200 && answer["content-type"]?.hasPrefix(type) == true)
        #expect(answer["x-content-type-options"] == "nosniff")
        #expect(answer["content-security-policy"]?.contains("default-src 'none'") == true)
        let tag = try #require(answer["etag"])
        #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
        #expect(try await service.send(.HEAD, path).bytes.isEmpty)
      }
    }
  }

  @Test func tellsItsHealth() async throws {
    try await TestService.with { service async throws in
      #expect(try await service.send(.GET, "/healthz").status == 200)
      #expect(try await service.send(.GET, "/readyz").status == 200)
      let metrics = try await service.send(.GET, "/metrics").text
      #expect(metrics.contains("jamjar_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"2xx\"} 1"))
    }
  }

  @Test func labelsOfMetricsAreAClosedSet() async throws {
    try await TestService.with { service async throws in
      for number in 0..<20 { _ = try await service.send(.GET, "/nothing/\(number)") }
      for number in 0..<20 { _ = try await service.send(.GET, "/v1/rooms/room\(number)") }
      let lines = try await service.send(.GET, "/metrics").text.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("jamjar_http_requests_total") } == 2)
    }
  }
}
