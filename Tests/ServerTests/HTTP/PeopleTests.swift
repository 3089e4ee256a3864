import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct PeopleTests {
  @Test func listsSessionsByRoom() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      _ = try await ShelvedTake("Attic", in: service.data, service.catalog)
      let sessions = try await service.send(.GET, "/v1/sessions?room=Cellar").items
      #expect(sessions.map { $0["id"] } == [.string(shelved.take.session.description)])
      let one = try await service.send(.GET, "/v1/sessions/\(shelved.take.session)")
      #expect(try one.status == 200 && one.json["room"] == "Cellar", "\(one.status) \(one.text)")
      #expect(try await service.send(.GET, "/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV").status == 404)
      #expect(try await service.send(.GET, "/v1/sessions?after=yesterday").json["field"] == "after")
    }
  }

  @Test func namesMergesAndSeparatesPeople() async throws {
    try await TestService.with { service async throws in
      let first = try await ShelvedTake(in: service.data, service.catalog, player: "Ada").track.participant
      let second = try await ShelvedTake("Attic", in: service.data, service.catalog, player: "Ada L.").track.participant
      #expect(try await service.send(.GET, "/v1/participants").items.count == 2)
      #expect(try await service.send(.GET, "/v1/participants?q=ada").items.count == 2)
      for (query, count) in [("participant:ada", 1), ("name:ada -\"ada l\"", 1), ("takes:2..", 0), ("takes:1", 2)]
        as [(String, Int)]
      {
        let answer = try await service.send(.GET, "/v1/participants?q=\(query.percentEncoded)")
        #expect(try answer.items.count == count, "\(query): \(answer.text)")
      }
      let refused = try await service.send(.GET, "/v1/participants?q=title:x")
      #expect(try refused.status == 400 && refused.json["field"] == "q" && refused.json["column"] == 1)
      let path = "/v1/participants/\(first.id)"
      let tag = try #require(try await service.send(.GET, path)["etag"])
      let named = try await service.patch(path, ["name": "Ada Lovelace"], [("If-Match", tag)])
      #expect(try named.json["name"] == "Ada Lovelace" && named.json["names"] == ["Ada"])
      #expect(try await service.patch(path, ["name": .null], [("If-Match", tag)]).status == 412)
      #expect(try await service.patch(path, ["name": "a\u{1}"]).json["field"] == "name")
      let others: JSONValue = ["participants": [.string(second.id.description)]]
      let merged = try await service.post(path + "/merge", others)
      #expect(try merged.json["merged"] == [.string(second.id.description)])
      #expect(try await service.send(.GET, "/v1/takes?participant=\(first.id)").items.count == 2)
      // Whoever was merged is found under both.
      #expect(try await service.send(.GET, "/v1/participants/\(second.id)").json["id"]?.string == first.id.description)
      let apart = try await service.post(path + "/separate", others)
      #expect(try apart.json["merged"] == [])
      #expect(try await service.post(path + "/merge", ["participants": []]).json["field"] == "participants")
      #expect(try await service.post(path + "/separate", others).status == 404)
    }
  }
}
