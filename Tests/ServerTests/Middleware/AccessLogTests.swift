import Logging
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct AccessLogTests {
  @Test func noTokenKeyAddressOrQueryReachesTheLog() async throws {
    let collector = LogCollector()
    let room = try RoomName(checking: "Cellar")
    let ada = try DisplayName(checking: "Ada")
    var token = ""
    try await TestService.with(
      {
        $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      }, logger: collector.logger()
    ) { service async throws in
      let expiry = MonotonicClock.wall + .seconds(60)
      token = JoinTokens(secret: Secret(TestService.secret)).make(room: room, expiry: expiry)
      try await NativeConnection.with(service.endpoint, room: room) { link in
        _ = try await link.join(JoinRequest(name: ada), token: token)
      }
      let bearer = [("Authorization", "Bearer \(TestService.key)"), ("Content-Type", "application/json")]
      _ = try await service.send(.POST, "/v1/rooms/Cellar/takes?secret=in-the-query", bearer, body: "{}")
      _ = try await service.send(.POST, "/v1/rooms/Cellar/takes", [("Authorization", "Bearer wrong-key-of-a-stranger")])
    }
    let text = collector.text
    #expect(text.contains("/v1/rooms/{room}/takes") || text.contains("/v1/rooms/:room/takes"))
    for secret in [token, TestService.key, TestService.secret, "wrong-key", "in-the-query", "127.0.0.1"] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }

  @Test func nobodyWritesIntoTheLogByAPath() async throws {
    let collector = LogCollector()
    try await TestService.with(logger: collector.logger(level: .debug)) { service async throws in
      _ = try await service.send(.POST, "/v1/rooms/a%0Aforged%1B%5B31m/takes")
      _ = try await service.send(.GET, "/%0Aforged")
    }
    #expect(!collector.text.contains("forged") && !collector.text.contains("\u{1B}"))
  }

  @Test func aStrangerLeavesNoLineHoweverOftenRefused() async throws {
    let collector = LogCollector()
    try await TestService.with(
      { $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key]) }, logger: collector.logger()
    ) { service async throws in
      let form = [("Content-Type", "application/json")]
      let join = #"{"jsonrpc":"2.0","id":1,"method":"joinRoom","params":{"user":"x","room":"Foyer"}}"#
      for path in ["/room", "/v1/rooms/Foyer/takes", "/nothing"] {
        let answer = try await service.send(.POST, path, form, body: join)
        #expect(answer.status != 200 || answer.text.contains("error"), "\(path): \(answer.status) \(answer.text)")
      }
      func written() -> Int { collector.text.split(separator: "\n").count { $0.contains("request") } }
      #expect(written() == 0, "\(collector.text)")
      // A join with a proof is worth its line.
      let token = JoinTokens(secret: Secret(TestService.secret)).make(
        room: try RoomName(checking: "Foyer"), expiry: MonotonicClock.wall + .seconds(60))
      let joined = try await service.send(.POST, "/room?token=\(token)", form, body: join)
      #expect(joined.text.contains("result"), "\(joined.text)")
      #expect(written() == 1, "\(collector.text)")
    }
  }

  @Test func everyAnswerNamesItsRequest() async throws {
    try await TestService.with { service async throws in
      let first = try await service.send(.GET, "/healthz")["x-request-id"]
      let second = try await service.send(.GET, "/nothing")["x-request-id"]
      #expect(first != nil && second != nil && first != second)
    }
  }
}
