import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct TakeCommandsTests {
  private let room = RoomName("Großer Keller")
  private let ada = DisplayName("Ada")

  @Test func startsMarksSplitsAndStopsATake() async throws {
    let room = try #require(room)
    let ada = try #require(ada)
    try await TestService.with { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { connection in
        _ = try await connection.join(JoinRequest(name: ada))
        let path = "/v1/rooms/\(room.description.percentEncoded)/takes"
        let started = try await service.post(path, ["song": "So What"])
        #expect(started.status == 201)
        let id = try #require(try started.json["id"]?.string)
        #expect(started["location"] == "/v1/takes/\(id)")
        #expect(try started.json["song"]?.object?["title"] == "So What")
        #expect(try started.json["room"]?.string == room.description)
        // A second one at the same time is refused.
        let again = try await service.post(path, [:])
        #expect(again.status == 409)
        #expect(try again.problem == "take-rolling")

        let cue = try await service.post("/v1/takes/\(id)/cues", ["text": "bridge"])
        #expect(cue.status == 201)
        #expect(try cue.json["text"] == "bridge")
        let split = try await service.send(.POST, "/v1/takes/\(id)/split")
        #expect(split.status == 201)
        let next = try #require(try split.json["id"]?.string)
        #expect(next != id && split["location"] == "/v1/takes/\(next)")
        // The former one rolls no more.
        let late = try await service.send(.POST, "/v1/takes/\(id)/stop")
        #expect([404, 409].contains(late.status))
        let stopped = try await service.send(.POST, "/v1/takes/\(next)/stop")
        #expect(stopped.status == 200)
        #expect(try stopped.json["id"]?.string == next)
      }
    }
  }

  @Test func recordsNothingWhereNobodyIs() async throws {
    try await TestService.with { service async throws in
      let answer = try await service.post("/v1/rooms/Empty/takes", [:])
      #expect(answer.status == 409)
      #expect(try answer.problem == "wrong-state")
    }
  }

  @Test func namesTheFieldThatIsWrong() async throws {
    let room = try #require(room)
    let ada = try #require(ada)
    try await TestService.with { service async throws in
      try await NativeConnection.with(service.endpoint, room: room) { connection in
        _ = try await connection.join(JoinRequest(name: ada))
        let path = "/v1/rooms/\(room.description.percentEncoded)/takes"
        let unknown = try await service.post(path, ["sing": "So What"])
        #expect(unknown.status == 400)
        #expect(try unknown.json["field"] == "sing")
        #expect(try unknown.json["permitted"] == ["song"])
        let wrong = try await service.post(path, ["song": 7])
        #expect(try wrong.json["field"] == "song")
        #expect(try wrong.json["value"] == "7")
        #expect(try wrong.json["detail"]?.string?.contains("must be a string") == true)
      }
    }
  }

  private let wrongBodies = [
    ("[]", "malformed"), ("{", "malformed"), ("{\"song\":\"a\",\"song\":\"b\"}", "malformed"), ("7", "malformed"),
    (String(repeating: "[", count: 10_000), "malformed"), ("\u{FEFF}{}", "malformed"),
  ]

  @Test func refusesBodiesThatAreNoObject() async throws {
    try await TestService.with { service async throws in
      for (body, code) in wrongBodies {
        let answer = try await service.send(
          .POST, "/v1/rooms/Cellar/takes", [("Content-Type", "application/json")], body: body)
        #expect(answer.status == 400)
        #expect(try answer.problem == code)
      }
    }
  }
}
