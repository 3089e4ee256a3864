import Foundation
import HTTPTypes
import Machines
import Music
import NIOCore
import NIOHTTP1
import Signaling
import TestSupport
import Testing

@testable import Catalog
@testable import Server

/// Lists answered on the thread of their connection, and those that the router answers.
@Suite(.timeLimit(.minutes(5))) struct PromptListsTests {
  /// A body sends a request to the router, which ignores it.
  private static func request(_ path: String, _ fields: String = "", body: String = "") -> String {
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    return "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(length)\(fields)\r\n\(body)"
  }

  /// The last request of a connection.
  private static let last = request("/healthz", "Connection: close\r\n")

  /// Sends `requests` at once and returns the responses, that of `last` excepted.
  private static func exchange(_ service: TestService, _ requests: [String]) async throws -> [Exchanged] {
    let bytes = try await RawConnection.with(port: service.port) { connection in
      try await connection.send((requests + [last]).joined())
      return await connection.untilClosed()
    }
    return try Array(Exchanged.all(in: bytes).dropLast())
  }

  /// A response, taken apart.
  private struct Exchanged {
    var status: String
    var fields: [(name: String, value: String)]
    var body: String

    subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
    var names: [String] { fields.map(\.name) }

    static func all(in bytes: [UInt8]) throws -> [Exchanged] {
      var rest = bytes[...]
      var found: [Exchanged] = []
      while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let fields = lines.dropFirst().map { line -> (name: String, value: String) in
          let parts = line.components(separatedBy: ": ")
          return (parts[0], parts.dropFirst().joined(separator: ": "))
        }
        var response = Exchanged(status: lines[0], fields: fields, body: "")
        let length = response["content-length"].flatMap { Int($0) } ?? 0
        let body = rest[end.upperBound...].prefix(length)
        response.body = String(decoding: body, as: UTF8.self)
        rest = rest[body.endIndex...]
        found.append(response)
      }
      return found
    }
  }

  @Test(arguments: [
    "", "?limit=1", "?limit=2&room=Cellar&sort=oldest", "?q=blue", "?q=nothing", "?fields=id", "?deleted=true",
  ])
  func theResponseIsThatOfTheRouter(query: String) async throws {
    try await TestService.with { service async throws in
      for _ in 0..<3 { _ = try await ShelvedTake(in: service.data, service.catalog) }
      let path = "/v1/takes\(query)"
      let both = try await PromptListsTests.exchange(
        service, [PromptListsTests.request(path), PromptListsTests.request(path, body: "{}")])
      try #require(both.count == 2)
      #expect(both[0].status == "HTTP/1.1 200 OK")
      #expect(both[0].status == both[1].status)
      #expect(both[0].body == both[1].body && !both[0].body.isEmpty)
      #expect(both[0].names == both[1].names)
      for name in ["etag", "cache-control", "content-type", "content-length", "link", "server"] {
        #expect(both[0][name] == both[1][name], "\(name)")
      }
      let field = "If-None-Match: \(both[0]["etag"] ?? "")\r\n"
      let unchanged = try await PromptListsTests.exchange(
        service, [PromptListsTests.request(path, field), PromptListsTests.request(path, field, body: "{}")])
      try #require(unchanged.count == 2)
      #expect(unchanged[0].status == "HTTP/1.1 304 Not Modified")
      #expect(unchanged[0].status == unchanged[1].status)
      #expect(unchanged[0].names == unchanged[1].names)
    }
  }

  /// With one core there is no thread to spare, and nothing is read at once.
  @Test(.enabled(if: min(System.coreCount, ProcessInfo.processInfo.activeProcessorCount) > 1))
  func theThreadsOfTheIndexAreNotNeeded() async throws {
    try await TestService.with { service async throws in
      _ = try await ShelvedTake(in: service.data, service.catalog)
      let gate = DispatchSemaphore(value: 0)
      let begun = Counter(0)
      // GRDB's default.
      let readers = 5
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<readers {
          tasks.addTask {
            try await service.catalog.read { _ in
              begun.add { $0 += 1 }
              gate.wait()
            }
          }
        }
        defer { for _ in 0..<readers { gate.signal() } }
        try await eventually("all readers are busy") { begun.current == readers }
        // A busy machine may leave one to the router.
        var statuses: [Int] = []
        for _ in 0..<5 where statuses.last != 200 { statuses.append(try await service.send(.GET, "/v1/takes").status) }
        #expect(statuses.last == 200)
        // What the router answers waits for a reader until its deadline.
        #expect(try await service.send(.GET, "/v1/takes?fields=id").status == 503)
      }
    }
  }

  @Test func responsesKeepTheOrderOfTheirRequests() async throws {
    try await TestService.with { service async throws in
      for _ in 0..<3 { _ = try await ShelvedTake(in: service.data, service.catalog) }
      var requests: [String] = []
      var expected: [String] = []
      for number in 0..<60 {
        switch number % 5 {
        case 0, 1, 2:
          let limit = number % 5 + 1
          requests.append(PromptListsTests.request("/v1/takes?limit=\(limit)"))
          expected.append("\(limit)")
        case 3:
          requests.append(PromptListsTests.request("/v1/takes?limit=x\(number)"))
          expected.append("x\(number)")
        default:
          requests.append(PromptListsTests.request("/v1/takes?limit=2", body: "{}"))
          expected.append("2")
        }
      }
      let responses = try await PromptListsTests.exchange(service, requests)
      let found = try responses.map { response in
        let body = try JSONValue(parsing: Array(response.body.utf8), limits: JSONLimits(bytes: 1 << 20)).object ?? [:]
        return body["value"]?.string ?? "\(body["items"]?.array?.count ?? -1)"
      }
      #expect(found == expected)
    }
  }

  /// Whoever answers, and whether it had to be passed on, a request counts once.
  @Test func everyRequestCountsOnce() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      $0.limits.quotas[.request, per: .credential] = .rate(4, per: .seconds(600))
      $0.limits.quotas[.wrongSecret, per: .address] = .rate(2, per: .seconds(600))
    } _: { service async throws in
      let key = ("Authorization", "Bearer \(TestService.key)")
      // Known from now on: it passes beside wrong ones.
      #expect(try await service.send(.GET, "/metrics", [key]).status == 200)
      let token = try await service.token("Cellar", .listener)
      var statuses: [Int] = []
      for path in ["/v1/takes", "/v1/takes?limit=0", "/v1/takes?fields=id", "/v1/takes", "/v1/takes", "/v1/takes?x=1"] {
        statuses.append(try await service.send(.GET, path, [token]).status)
      }
      #expect(statuses == [200, 400, 200, 200, 429, 429])
      let refused = try await service.send(.GET, "/v1/takes", [token])
      #expect(try refused.problem == "rate-limited" && refused["retry-after"] != nil)
      let wrong = ("Authorization", "Bearer a-wrong-key-of-a-stranger")
      statuses = []
      for _ in 0..<3 { statuses.append(try await service.send(.GET, "/v1/takes", [wrong]).status) }
      #expect(statuses == [401, 401, 429])
      let lines = try await service.send(.GET, "/metrics", [key]).text.split(separator: "\n")
      let counts = lines.filter { $0.contains(#"route="/v1/takes""#) }.compactMap { line in
        line.split(separator: " ").last.flatMap { Int($0) }
      }
      #expect(counts.reduce(0, +) == 10)
      let limited = #"jamjar_quota_refusals_total{work="request",scope="credential"} 3"#
      #expect(lines.contains { $0 == limited })
    }
  }

  @Test func aTokenListsItsOwnRoomOnly() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      for room in ["Cellar", "Attic"] { _ = try await ShelvedTake(room, in: service.data, service.catalog) }
      let token = try await service.token("Cellar", .listener)
      let own = try await service.send(.GET, "/v1/takes", [token])
      #expect(try own.items.compactMap { $0["room"]?.string } == ["Cellar"])
      #expect(try await service.send(.GET, "/v1/takes?room=Attic", [token]).status == 403)
      #expect(try await service.send(.GET, "/v1/takes").status == 401)
      // The tag of what somebody else sees is not that of what this one sees.
      let all = try await service.send(.GET, "/v1/takes", [("Authorization", "Bearer \(TestService.key)")])
      #expect(try all.items.count == 2)
      let tag = try #require(all["etag"])
      #expect(try await service.send(.GET, "/v1/takes", [token, ("If-None-Match", tag)]).status == 200)
    }
  }
}
