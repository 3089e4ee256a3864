import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct StudioTests {
  @Test func servesThePageAtAllItsAddresses() async throws {
    try await TestService.with { service async throws in
      for path in ["/", "/rooms/Blue%20Room", "/takes", "/takes/01JD4Z6QK8H2V5N7C3XW9RTB0M", "/studio/base/studio.css"]
      {
        let answer = try await service.send(.GET, path)
        let type = path.hasSuffix("css") ? "text/css" : "text/html"
        #expect(answer.status == 200 && answer["content-type"]?.hasPrefix(type) == true)
        #expect(answer["x-content-type-options"] == "nosniff")
        let policy = answer["content-security-policy"] ?? ""
        for rule in ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"] {
          #expect(policy.contains(rule), "\(policy)")
        }
        #expect(!policy.contains("unsafe") && answer["referrer-policy"] == "no-referrer")
        #expect(answer["cross-origin-opener-policy"] == "same-origin")
        let permissions = answer["permissions-policy"] ?? ""
        for rule in ["microphone=(self)", "camera=()", "geolocation=()", "display-capture=()", "usb=()", "midi=(self)"]
        {
          #expect(permissions.contains(rule), "\(permissions)")
        }
        let tag = try #require(answer["etag"])
        #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
        #expect(try await service.send(.HEAD, path).bytes.isEmpty)
      }
      #expect(try await service.send(.GET, "/studio/base/nothing.js").status == 404)
      #expect(try await service.send(.GET, "/studio/base/..%2Findex.html").status == 404)
    }
  }

  /// What an installation needs, and the worker at an address above everything that it looks after.
  @Test func canBeInstalled() async throws {
    try await TestService.with { service async throws in
      let manifest = try await service.send(.GET, "/studio/base/studio.webmanifest")
      #expect(manifest["content-type"] == "application/manifest+json")
      #expect(manifest["cross-origin-resource-policy"] == "same-origin")
      let icons = try manifest.json["icons"]?.array?.compactMap { $0.object?["src"]?.string } ?? []
      #expect(icons.count == 4)
      for icon in icons + ["/studio/icons/icon-apple.png"] {
        let file = try await service.send(.GET, icon)
        let type = icon.hasSuffix("svg") ? "image/svg+xml" : "image/png"
        #expect(file.status == 200 && file["content-type"] == type && !file.bytes.isEmpty, "\(icon)")
      }
      let worker = try await service.send(.GET, "/offline-worker.js")
      #expect(worker["content-type"] == "text/javascript; charset=utf-8" && worker["cache-control"] == "no-cache")
      // Everything that it keeps is there.
      for match in worker.text.matches(of: /"(\/studio\/[a-z\/-]+\.[a-z]+)"/) {
        #expect(try await service.send(.GET, String(match.1)).status == 200, "\(match.1)")
      }
    }
  }

  /// Everything that the page or one of its modules names is there, down to the last import.
  @Test func everyModuleThatIsNamedIsServed() async throws {
    try await TestService.with { service async throws in
      // As they are written, and as browsers get them.
      var waiting = ["/", "/takes", "/studio/base/main.js"]
      var seen: Set<String> = []
      while let path = waiting.popLast() {
        guard seen.insert(path).inserted else { continue }
        let answer = try await service.send(.GET, path)
        #expect(answer.status == 200, "\(path)")
        let names = answer.text.matches(
          of: /(?:from |import\(|new URL\(|href=|src=)"((?:\.{1,2}\/|\/studio\/)?[a-z0-9\/-]+\.(?:js|css))"/)
        for name in names.map({ String($0.1) }) {
          waiting.append(name.hasPrefix("/") ? name : StudioTests.resolve(name, at: path))
        }
      }
      #expect(seen.count > 50, "\(seen.count)")
    }
  }

  private static func resolve(_ name: String, at path: String) -> String {
    var steps = path.split(separator: "/").dropLast().map(String.init)
    for step in name.split(separator: "/") {
      switch step {
      case ".": continue
      case "..": _ = steps.popLast()
      default: steps.append(String(step))
      }
    }
    return "/" + steps.joined(separator: "/")
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
