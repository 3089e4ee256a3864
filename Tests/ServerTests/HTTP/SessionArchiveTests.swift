import Music
import NIOHTTP1
import Recording
import Signaling
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct SessionArchiveTests {
  @Test func anEveningIsOneArchiveInTheOrderPlayedAndInAnyPart() async throws {
    try await TestService.with { service async throws in
      let first = try await ShelvedTake(in: service.data, service.catalog)
      let session = first.session
      let second = try await ShelvedTake(in: service.data, service.catalog, session: session)
      let trashed = try await ShelvedTake(in: service.data, service.catalog, session: session)
      _ = try await ShelvedTake(in: service.data, service.catalog, state: .rolling, session: session)
      // Another evening in the same room.
      _ = try await ShelvedTake(in: service.data, service.catalog)
      #expect(try await service.send(.DELETE, "/v1/takes/\(trashed.take.id)").status == 200)
      try service.data.write("the second mix", "\(second.take.folder)/mix.flac")
      let path = "/v1/sessions/\(session.id)/archive"
      let whole = try await service.send(.GET, path)
      #expect(whole.status == 200 && whole["content-type"] == "application/zip")
      let name = "Cellar \(session.startedAt.date).zip"
      #expect(whole["content-disposition"]?.contains("filename=\"\(name)\"") == true)
      let (one, other) = ("01 Cellar - Blue in Green 1/mix.flac", "02 Cellar - Blue in Green 2/mix.flac")
      #expect(whole.text.contains(one) && whole.text.contains(other) && whole.text.contains("the second mix"))
      #expect(!whole.text.contains("/take.journal") && !whole.text.contains("03 Cellar"))
      let tag = try #require(whole["etag"])
      #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
      #expect(try await service.send(.HEAD, path)["content-length"] == "\(whole.bytes.count)")
      for range in [0..<10, 900..<3_300, (whole.bytes.count - 40)..<whole.bytes.count] {
        let part = try await service.send(
          .GET, path, [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"), ("If-Range", tag)])
        #expect(part.status == 206 && part.bytes == Array(whole.bytes[range]))
      }
      // A take that is finished meanwhile makes it another archive.
      _ = try await ShelvedTake(in: service.data, service.catalog, session: session)
      #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 200)
    }
  }

  @Test func whatIsNotThereOrNotReadyIsSaid() async throws {
    try await TestService.with { service async throws in
      let rolling = try await ShelvedTake(in: service.data, service.catalog, state: .rolling)
      let path = "/v1/sessions/\(rolling.session.id)/archive"
      let none = try await service.send(.GET, path)
      #expect(try none.status == 409 && none.json["type"]?.string?.hasSuffix("no-takes") == true)
      let unknown = try await service.send(.GET, "/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV/archive")
      #expect(unknown.status == 404)
      #expect(try await service.send(.GET, "/v1/sessions/tonight/archive").status == 404)
      #expect(try await service.send(.GET, path + "?originals=perhaps").json["field"] == "originals")
      #expect(try await service.send(.GET, path + "?format=rar").status == 400)
    }
  }

  @Test func aTokenOpensTheEveningsOfItsRoomAlone() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/sessions/\(shelved.session.id)/archive"
      let listener = try await service.token(shelved.take.room.description, .listener)
      let stranger = try await service.token("elsewhere")
      #expect(try await service.send(.GET, path, [listener]).status == 200)
      let hidden = try await service.send(.GET, path, [stranger])
      let missing = try await service.send(.GET, "/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV/archive", [stranger])
      #expect(hidden.status == 404 && missing.status == 404)
      #expect(try hidden.json["title"] == missing.json["title"])
      #expect(try await service.send(.GET, path).status == 401)
    }
  }
}
