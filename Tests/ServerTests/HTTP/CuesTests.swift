import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct CuesTests {
  @Test func marksAFinishedTakeMovesAndRemovesMarks() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/cues"
      let added = try await service.post(path, ["text": "solo", "position": .number(1.25)])
      #expect(added.status == 201)
      let location = try #require(added["location"])
      let texts = try await service.send(.GET, path).items.map { $0["text"] }
      #expect(texts == ["bridge", "solo"])
      let moved = try await service.patch(location, ["position": .number(0.25)])
      #expect(try moved.json["position"] == .number(0.25) && moved.json["text"] == "solo")
      #expect(try await service.send(.GET, path).items.map { $0["text"] } == ["solo", "bridge"])
      #expect(try await service.send(.DELETE, location).status == 204)
      #expect(try await service.send(.DELETE, location).status == 404)
      #expect(try await service.send(.GET, path).items.map { $0["text"] } == ["bridge"])
      for (body, field) in [
        (["text": "x"], "position"), (["text": "x", "position": 3], "position"),
        (["text": "x", "position": -1], "position"), (["text": "", "position": 1], "text"),
        (["position": 1], "text"), (["text": "x", "position": "1"], "position"), (["text": "x", "at": 1], "at"),
      ] as [(JSONValue, String)] {
        let answer = try await service.post(path, body)
        #expect(try answer.status == 400 && answer.json["field"]?.string == field, "\(body.text)")
      }
    }
  }
}
