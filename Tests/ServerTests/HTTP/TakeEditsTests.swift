import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct TakeEditsTests {
  @Test func saysSomethingOfATakeAndTakesItBack() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)"
      let first = try await service.send(.GET, path)
      let tag = try #require(first["etag"])
      #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
      let edited = try await service.patch(
        path,
        ["title": "The long one", "rating": 5, "favourite": true, "notes": "Solo!", "tags": ["blues", "keeper"]],
        [("If-Match", tag)])
      #expect(edited.status == 200)
      let take = try edited.json
      #expect(take["title"] == "The long one" && take["rating"] == 5 && take["favourite"] == true)
      #expect(take["tags"] == ["blues", "keeper"] && take["revision"] == 2)
      #expect(try await service.send(.GET, path)["etag"] == edited["etag"] && edited["etag"] != tag)

      // The former tag edits nothing any more; without one, what is there is edited.
      let late = try await service.patch(path, ["rating": 1], [("If-Match", tag)])
      #expect(late.status == 412)
      #expect(try late.problem == "precondition-failed")
      #expect(try await service.patch(path, ["rating": 1], [("If-Match", "W/\"x\"")]).status == 412)
      let bare = try await service.patch(path, ["rating": .null, "tags": .null])
      #expect(try bare.json["rating"] == .null && bare.json["tags"] == [] && bare.json["title"] == "The long one")
      // What changes nothing is no new revision.
      #expect(try await service.patch(path, ["rating": .null])["etag"] == bare["etag"])
    }
  }

  @Test func movesATakeToAnotherSong() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)"
      let titled = try await service.patch(path, ["song": ["title": "So What"]])
      let song = try #require(try titled.json["song"]?.object)
      #expect(song["title"] == "So What")
      #expect(try await service.patch(path, ["song": .null]).json["song"] == .null)
      let back = try await service.patch(path, ["song": ["id": song["id"] ?? .null]])
      #expect(try back.json["song"]?.object == song)
      let unknown = try await service.patch(path, ["song": ["id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"]])
      #expect(unknown.status == 404)
      #expect(try await service.patch(path, ["song": ["name": "x"]]).json["field"] == "song.name")
    }
  }

  private let wrongPatches: [(JSONValue, String)] = [
    (["rating": 6], "rating"), (["rating": "5"], "rating"), (["stars": 3], "stars"), (["favourite": 1], "favourite"),
    (["tags": "blues"], "tags"), (["tags": ["a", 1]], "tags"), (["tags": ["a", "A"]], "tags"), (["title": ""], "title"),
    (["song": "x"], "song"), (["number": 2], "number"), (["title": "a\u{0}b"], "title"),
  ]

  @Test func refusesPatchesByField() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      for (patch, field) in wrongPatches {
        let answer = try await service.patch("/v1/takes/\(shelved.take.id)", patch)
        #expect(answer.status == 400, "\(patch.text)")
        #expect(try answer.json["field"]?.string == field && answer.json["detail"]?.string?.isEmpty == false)
      }
      let type = try await service.send(
        .PATCH, "/v1/takes/\(shelved.take.id)", [("Content-Type", "text/plain")], body: "{}")
      #expect(type.status == 415 && type["accept-patch"] == "application/merge-patch+json")
    }
  }

  @Test func movesATakeToTheTrashAndBack() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)"
      let deleted = try await service.send(.DELETE, path)
      #expect(deleted.status == 200)
      #expect(try deleted.json["deletedAt"]?.string.flatMap(WallTime.init) != nil)
      #expect(try await service.send(.GET, "/v1/takes").items.isEmpty)
      #expect(try await service.send(.GET, "/v1/takes?deleted=true").items.count == 1)
      let again = try await service.send(.DELETE, path)
      #expect(again.status == 409)
      #expect(try again.problem == "take-deleted")
      #expect(try await service.send(.POST, path + "/restore").json["deletedAt"] == .null)
      #expect(try await service.send(.GET, path + "/mix").text == "the mix")
      let twice = try await service.send(.POST, path + "/restore")
      #expect(try twice.status == 409 && twice.problem == "take-not-deleted")
      let rolling = try await ShelvedTake("Attic", in: service.data, service.catalog, state: .rolling)
      let busy = try await service.send(.DELETE, "/v1/takes/\(rolling.take.id)")
      #expect(try busy.status == 409 && busy.problem == "take-busy")
    }
  }

  @Test func changesManyTakesAndAnswersForEach() async throws {
    try await TestService.with { service async throws in
      var ids: [JSONValue] = []
      for _ in 0..<3 {
        ids.append(.string(try await ShelvedTake(in: service.data, service.catalog).take.id.description))
      }
      let unknown: JSONValue = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
      let rated = try await service.post(
        "/v1/takes/bulk", ["action": "edit", "takes": .array(ids + [unknown]), "changes": ["rating": 4]])
      #expect(try rated.items.map { $0["status"] } == [200, 200, 200, 404])
      #expect(try rated.items.last?["problem"]?.object?["type"] == "urn:jamjar:problem:not-found")
      #expect(try await service.send(.GET, "/v1/takes?rating=4").items.count == 3)
      let gone = try await service.post("/v1/takes/bulk", ["action": "delete", "takes": .array(Array(ids.prefix(2)))])
      #expect(try gone.items.map { $0["status"] } == [200, 200])
      #expect(try await service.send(.GET, "/v1/takes").items.count == 1)
      let back = try await service.post("/v1/takes/bulk", ["action": "restore", "takes": .array(ids)])
      #expect(try back.items.map { $0["status"] } == [200, 200, 409])
      for (body, field) in [
        (["action": "burn", "takes": .array(ids)], "action"), (["action": "delete", "takes": []], "takes"),
        (["action": "edit", "takes": .array(ids)], "changes"), (["action": "delete", "takes": ["x"]], "takes"),
        (["action": "edit", "takes": .array(ids), "changes": ["rating": 9]], "rating"),
      ] as [(JSONValue, String)] {
        let answer = try await service.post("/v1/takes/bulk", body)
        #expect(try answer.status == 400 && answer.json["field"]?.string == field)
      }
    }
  }

  @Test func findsWhatWasSaid() async throws {
    try await TestService.with { service async throws in
      let first = try await ShelvedTake(in: service.data, service.catalog)
      let second = try await ShelvedTake("Attic", in: service.data, service.catalog, song: "So What", player: "Bea")
      _ = try await service.patch(
        "/v1/takes/\(first.take.id)", ["tags": ["Blues"], "favourite": true, "rating": 3, "notes": "a fine ending"])
      func found(_ query: String) async throws -> [JSONValue?] {
        try await service.send(.GET, "/v1/takes?" + query).items.map { $0["id"] }
      }
      let one: [JSONValue?] = [.string(first.take.id.description)]
      let two: [JSONValue?] = [.string(second.take.id.description)]
      #expect(try await found("tag=blues") == one)
      #expect(try await found("favourite=true") == one)
      #expect(try await found("favourite=false") == two)
      #expect(try await found("rating=3") == one)
      #expect(try await found("rating=4") == [])
      #expect(try await found("q=fine+end") == one)
      #expect(try await found("session=\(second.take.session)") == two)
      #expect(try await found("participant=\(second.track.participant.id)") == two)
      #expect(try await found("sort=oldest") == one + two)
      #expect(try await found("after=2020-01-01&before=2999-01-01T00:00:00Z") == two + one)
      #expect(try await found("before=2020-01-01") == [])
      let page = try await service.send(.GET, "/v1/takes?sort=oldest&limit=1")
      let link = try #require(page["link"])
      let address = try #require(link.split(separator: ">").first?.dropFirst())
      #expect(link.hasSuffix("rel=\"next\"") && address.contains("sort=oldest"))
      #expect(try await service.send(.GET, String(address)).items.map { $0["id"] } == two)
    }
  }
}
