import Catalog
import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

/// Entity tags of lists, over HTTP.
@Suite(.timeLimit(.minutes(5))) struct ListTagsTests {
  @Test func aTagHoldsUntilSomethingChangesHereOrInAnotherProcess() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let lists = ["/v1/takes", "/v1/takes?q=blue&limit=3", "/v1/songs", "/v1/sessions", "/v1/participants"]
      func tags() async throws -> [String] {
        var tags: [String] = []
        for path in lists {
          let answer = try await service.send(.GET, path)
          let tag = try #require(answer["etag"])
          #expect(answer.status == 200 && !tag.hasPrefix("W/"))
          #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
          let head = try await service.send(.HEAD, path)
          #expect(head.status == 200 && head["etag"] == tag && head.bytes.isEmpty)
          #expect(try await service.send(.HEAD, path, [("If-None-Match", tag)]).status == 304)
          tags.append(tag)
        }
        return tags
      }
      func expectChange(from former: [String], _ what: String) async throws -> [String] {
        for (path, tag) in zip(lists, former) {
          #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 200, "\(what): \(path)")
        }
        return try await tags()
      }
      var known = try await tags()
      let edited = try await service.patch("/v1/takes/\(shelved.take.id)", ["rating": 4])
      #expect(edited.status == 200)
      known = try await expectChange(from: known, "an edit")
      #expect(try await service.send(.GET, "/v1/takes").items.first?["rating"] == 4)
      let commandLine = try SQLiteCatalog.open(
        beside: service.data.path + "/catalog.db", forReadingOnly: false)
      try await commandLine.setState(of: shelved.take.id, to: .rendering)
      _ = try await expectChange(from: known, "another process")
      #expect(try await service.send(.GET, "/v1/takes").items.first?["state"] == "rendering")
    }
  }

  @Test func aStarDoesNotHideARefusal() async throws {
    try await TestService.with { service async throws in
      for query in ["cursor=x", "limit=0", "sort=longest&favourite=true", "colour=blue"] {
        let answer = try await service.send(.GET, "/v1/takes?\(query)", [("If-None-Match", "*")])
        #expect(answer.status == 400, "\(query)")
      }
      #expect(try await service.send(.GET, "/v1/takes", [("If-None-Match", "*")]).status == 304)
    }
  }

  /// The next page of each page, and its bytes: those of the objects.
  @Test func pagesAreLinkedAndHaveTheirBytes() async throws {
    try await TestService.with { service async throws in
      for _ in 0..<3 { _ = try await ShelvedTake("Größe & Co", in: service.data, service.catalog) }
      let answer = try await service.send(.GET, "/v1/takes?limit=2&room=Gr%C3%B6%C3%9Fe+%26+Co")
      let page = try await service.catalog.takes(
        TakeQuery(room: try RoomName(checking: "Größe & Co"), limit: 2))
      let json = Representation.list(page.items.map { .object(Representation.take($0)) }, next: page.next)
      #expect(answer.text == json.text + "\n")
      let next = try #require(page.next)
      #expect(
        answer["link"] == "</v1/takes?limit=2&room=Gr%C3%B6%C3%9Fe+%26+Co&cursor=\(next)>; rel=\"next\"")
    }
  }

  /// The second answer is remembered: the same bytes, with links for the question as it was put.
  @Test func aPageThatIsAskedForAgainIsTheSame() async throws {
    try await TestService.with { service async throws in
      for _ in 0..<3 { _ = try await ShelvedTake("Blue", in: service.data, service.catalog) }
      let first = try await service.send(.GET, "/v1/takes?limit=2")
      #expect(try first.items.count == 2)
      let again = try await service.send(.GET, "/v1/takes?limit=2")
      #expect(again.text == first.text && again["etag"] == first["etag"] && again["link"] == first["link"])
      let other = try await service.send(.GET, "/v1/takes?sort=newest&limit=2")
      #expect(other.text == first.text)
      #expect(other["link"]?.hasPrefix("</v1/takes?sort=newest&limit=2&cursor=") == true)
      #expect(try await service.send(.GET, "/v1/takes?limit=1").items.count == 1)
    }
  }
}
