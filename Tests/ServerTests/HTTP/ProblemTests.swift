import HTTPTypes
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct ProblemTests {
  @Test(arguments: RoomRefusal.Code.allCases)
  func everyRefusalOfARoomHasAStatusATitleAndItsSentence(code: RoomRefusal.Code) {
    let problem = Problem(RoomRefusal(code, "the sentence"))
    #expect((400..<600).contains(problem.status.code))
    let json = problem.json(instance: "/x")
    #expect(json["type"]?.string == "urn:jamjar:problem:\(code.rawValue)")
    #expect(json["detail"] == "the sentence" && json["title"]?.string?.isEmpty == false)
    #expect(json["status"]?.integer == Int64(problem.status.code))
  }

  @Test func aKeyIsAskedForInTheWordsOfHTTP() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      let answer = try await service.send(.GET, "/v1/takes")
      #expect(answer.status == 401 && answer["www-authenticate"] == "Bearer")
    }
  }

  @Test func methodsThatArePossibleNowhereAndThatAreNotPossibleHereDiffer() async throws {
    try await TestService.with { service async throws in
      let delete = try await service.send(.DELETE, "/v1/takes")
      #expect(delete.status == 405 && delete["allow"] == "GET, HEAD, OPTIONS")
      #expect(try delete.json["permitted"] == ["GET", "HEAD", "OPTIONS"])
      #expect(try await service.send(.PROPFIND, "/v1/takes").status == 501)
      let options = try await service.send(.OPTIONS, "/v1/rooms/Cellar/rtp")
      #expect(options.status == 204 && options["accept-post"] == "application/json")
    }
  }

  @Test func bodiesMayNotBeTooLarge() async throws {
    try await TestService.with { service async throws in
      let body = "{\"song\":\"" + String(repeating: "x", count: 300_000) + "\"}"
      let answer = try await service.send(
        .POST, "/v1/rooms/Cellar/takes", [("Content-Type", "application/json")], body: body)
      #expect(answer.status == 413)
      #expect(try answer.json["limit"] == 262_144)
      let type = try await service.send(.POST, "/v1/rooms/Cellar/takes", [("Content-Type", "text/plain")], body: "{}")
      #expect(type.status == 415 && type["accept-post"] == "application/json")
    }
  }
}
