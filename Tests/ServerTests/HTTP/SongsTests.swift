import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct SongsTests {
  @Test func addsFindsEditsAndRemovesASong() async throws {
    try await TestService.with { service async throws in
      let added = try await service.post(
        "/v1/songs",
        [
          "title": "Blue in Green", "composers": ["Bill Evans"], "key": "D minor",
          "tempo": [["beatsPerMinute": 56], ["position": 10, "beatsPerMinute": .number(57.5), "beatsPerBar": 3]],
        ])
      #expect(added.status == 201)
      let location = try #require(added["location"])
      let tag = try #require(added["etag"])
      #expect(try added.json["tempo"]?.array?.first?.object?["beatUnit"] == 4)
      #expect(try await service.send(.GET, location, [("If-None-Match", tag)]).status == 304)
      #expect(try await service.send(.GET, "/v1/songs?q=evans").items.count == 1)
      #expect(try await service.send(.GET, "/v1/songs?q=coltrane").items.isEmpty)
      for (query, count) in [
        ("composer:\"bill evans\" -key:none", 1), ("song:\"blue in green\" takes:0", 1), ("-evans", 0),
        ("key:\"d minor\" OR title:so", 1), ("takes:1..", 0),
      ] as [(String, Int)] {
        let answer = try await service.send(.GET, "/v1/songs?q=\(query.percentEncoded)")
        #expect(try answer.items.count == count, "\(query): \(answer.text)")
      }
      let refused = try await service.send(.GET, "/v1/songs?q=\("a compser:x".percentEncoded)")
      #expect(try refused.status == 400 && refused.json["field"] == "q" && refused.json["column"] == 3)
      #expect(try refused.json["permitted"]?.array?.contains("composer") == true)
      let page = try #require(try await service.send(.GET, "/v1/songs")["etag"])
      #expect(try await service.send(.GET, "/v1/songs", [("If-None-Match", page)]).status == 304)
      let taken = try await service.post("/v1/songs", ["title": "blue in green"])
      #expect(try taken.status == 409 && taken.problem == "title-taken")
      let edited = try await service.patch(location, ["key": .null], [("If-Match", tag)])
      #expect(try edited.json["key"] == .null && edited.json["revision"] == 2)
      #expect(try await service.patch(location, ["key": "E"], [("If-Match", tag)]).status == 412)
      #expect(try await service.send(.GET, "/v1/songs", [("If-None-Match", page)]).status == 200)
      #expect(try await service.send(.DELETE, location).status == 204)
      #expect(try await service.send(.GET, location).status == 404)
    }
  }

  @Test func putsASongOnlyOnPurpose() async throws {
    try await TestService.with { service async throws in
      let path = "/v1/songs/01ARZ3NDEKTSV4RRFFQ69G5FAV"
      let json = [("Content-Type", "application/json")]
      let body = "{\"title\": \"So What\"}"
      #expect(try await service.send(.PUT, path, json, body: body).status == 428)
      #expect(try await service.send(.PUT, path, json + [("If-Match", "*")], body: body).status == 404)
      // Whichever of the two was meant, the other one contradicts it.
      let both = json + [("If-None-Match", "*"), ("If-Match", "\"1-abc\"")]
      #expect(try await service.send(.PUT, path, both, body: body).status == 412)
      #expect(try await service.send(.GET, path).status == 404)
      let made = try await service.send(.PUT, path, json + [("If-None-Match", "*")], body: body)
      #expect(made.status == 201 && made["location"] == path)
      #expect(try await service.send(.PUT, path, json + [("If-None-Match", "*")], body: body).status == 412)
      let tag = try #require(made["etag"])
      let replaced = try await service.send(
        .PUT, path, json + [("If-Match", tag)], body: "{\"title\": \"So What\", \"notes\": \"two chords\"}")
      #expect(try replaced.status == 200 && replaced.json["notes"] == "two chords")
      #expect(try await service.send(.PUT, "/v1/songs/x", json, body: body).json["field"] == "song")
    }
  }

  @Test func keepsASongThatTakesHave() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let song = try #require(shelved.take.song)
      let answer = try await service.send(.DELETE, "/v1/songs/\(song.id)")
      #expect(try answer.status == 409 && answer.problem == "song-in-use")
    }
  }

  @Test func refusesSongsByField() async throws {
    try await TestService.with { service async throws in
      for (body, field) in [
        ([:], "title"), (["title": 1], "title"), (["title": "a", "tempo": 120], "tempo"),
        (["title": "a", "tempo": [["bpm": 1]]], "tempo.bpm"), (["title": "a", "composer": "x"], "composer"),
        (["title": "a", "tempo": [["beatsPerMinute": 5]]], "tempo.beatsPerMinute"),
      ] as [(JSONValue, String)] {
        let answer = try await service.post("/v1/songs", body)
        #expect(try answer.status == 400 && answer.json["field"]?.string == field, "\(body.text)")
      }
    }
  }
}
