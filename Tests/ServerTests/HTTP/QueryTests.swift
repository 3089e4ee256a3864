import Foundation
import Music
import NIOHTTP1
import Signaling
import Testing

@testable import Server

/// Queries over REST: of lists, bulk edits and exports, and what a token may see of them.
@Suite(.timeLimit(.minutes(5))) struct QueryTests {
  private func ids(_ answer: TestService.Answer) throws -> [String] { try answer.items.compactMap { $0["id"]?.string } }

  /// The queries in docs/query.md that are fenced as `fence`.
  private static func examples(_ fence: String = "query") throws -> [String] {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let text = try String(contentsOf: root.appendingPathComponent("docs/query.md"), encoding: .utf8)
    return text.components(separatedBy: "```\(fence)\n").dropFirst().flatMap { block in
      (block.components(separatedBy: "```").first ?? "").split(separator: "\n").map(String.init)
    }
  }

  @Test func everyExampleOfTheDocumentIsAnswered() async throws {
    let examples = try Self.examples()
    #expect(examples.count > 15)
    try await TestService.with { service async throws in
      _ = try await ShelvedTake(in: service.data, service.catalog)
      for query in examples {
        let answer = try await service.send(.GET, "/v1/takes?q=\(query.percentEncoded)")
        #expect(answer.status == 200, "\(query): \(answer.text)")
      }
    }
  }

  @Test func everyExampleOfSongsAndPeopleIsAnswered() async throws {
    let lists = [("/v1/songs", try Self.examples("songs")), ("/v1/participants", try Self.examples("people"))]
    try await TestService.with { service async throws in
      for (path, examples) in lists {
        #expect(examples.count > 3, "\(path)")
        for query in examples {
          let answer = try await service.send(.GET, "\(path)?q=\(query.percentEncoded)")
          #expect(answer.status == 200, "\(query): \(answer.text)")
        }
      }
    }
  }

  @Test func findsAndRefusesWithTheColumn() async throws {
    try await TestService.with { service async throws in
      let first = try await ShelvedTake(in: service.data, service.catalog)
      let second = try await ShelvedTake("Attic", in: service.data, service.catalog, song: "So What", player: "Bea")
      _ = try await service.patch("/v1/takes/\(first.take.id)", ["tags": ["Keeper"], "rating": 4])
      for (query, expected) in [
        ("room:cellar", [first]), ("-room:CELLAR", [second]), ("song:\"so what\" OR tag:keeper", [second, first]),
        ("participant:bea gaps:1.. tracks:1", [second]), ("rating:4.. duration:2", [first]), ("rating:none", [second]),
        ("\"in blue\"", []), ("\"blue in\" cue:bridge after:1h", [first]), ("before:1h", []),
        ("id:\(second.take.id)", [second]),
      ] as [(String, [ShelvedTake])] {
        let answer = try await service.send(.GET, "/v1/takes?q=\(query.percentEncoded)")
        #expect(try ids(answer) == expected.map { "\($0.take.id)" }, "\(query): \(answer.text)")
      }
      let refused = try await service.send(.GET, "/v1/takes?q=\("room:x ratng:4".percentEncoded)")
      #expect(refused.status == 400)
      #expect(try refused.problem == "invalid-field")
      #expect(try refused.json["field"] == "q" && refused.json["column"] == 8)
      #expect(try refused.json["permitted"]?.array?.contains("rating") == true)
      #expect(try refused.json["detail"]?.string?.contains("perhaps rating") == true)
    }
  }

  @Test func membersAreChosenAndBodiesOtherwiseAsBefore() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let id = shelved.take.id
      let plain = try #require(try await service.send(.GET, "/v1/takes").items.first)
      #expect(plain.members.map(\.name) == TakeMembers.ofList)
      let some = try await service.send(.GET, "/v1/takes?fields=song,id")
      #expect(try some.items.first?.members.map(\.name) == ["id", "song"])
      #expect(try some.items.first?["song"] == plain["song"])
      let more = try #require(try await service.send(.GET, "/v1/takes?fields=id&expand=tracks").items.first)
      #expect(more.members.map(\.name) == ["id", "tracks"])
      #expect(try await more["tracks"] == service.send(.GET, "/v1/takes/\(id)/tracks").json["items"])
      let one = try await service.send(.GET, "/v1/takes/\(id)?fields=cues,title")
      #expect(try one.json.members.map(\.name) == ["title", "cues"])
      // The tag of another representation of the same revision serves for edits as well.
      let tag = try #require(one["etag"])
      #expect(try await service.patch("/v1/takes/\(id)", ["rating": 3], [("If-Match", tag)]).status == 200)
      for query in ["fields=id,nme", "fields=", "fields=cues", "expand=files", "fields=id,,title"] {
        let refused = try await service.send(.GET, "/v1/takes?\(query)")
        #expect(refused.status == 400, "\(query)")
        #expect(try refused.json["permitted"]?.array?.isEmpty == false, "\(query)")
      }
    }
  }

  @Test func aQueryNeverWidensWhatATokenSees() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let key = ("Authorization", "Bearer \(TestService.key)")
      let own = try await ShelvedTake("Cellar", in: service.data, service.catalog)
      let other = try await ShelvedTake("Attic", in: service.data, service.catalog)
      let owner = try await service.token("Cellar", .owner)
      let everything = [
        "room:attic OR room:cellar", "-room:cellar", "room:attic", "id:\(other.take.id) OR tracks:1",
        "blue OR rating:none",
      ]
      for query in everything {
        let seen = try await service.send(.GET, "/v1/takes?q=\(query.percentEncoded)&expand=tracks", [owner])
        #expect(try !ids(seen).contains("\(other.take.id)"), "\(query)")
        let bulk: JSONValue = ["action": "edit", "q": .string(query), "changes": ["rating": 1]]
        let edited = try await service.post("/v1/takes/bulk", bulk, [owner])
        #expect(try !ids(edited).contains("\(other.take.id)"), "\(query)")
        let exported = try await service.post("/v1/exports", ["q": .string(query)], [owner])
        #expect(try exported.items.allSatisfy { $0["take"]?.string == "\(own.take.id)" }, "\(query)")
      }
      #expect(try await service.send(.GET, "/v1/takes/\(other.take.id)", [key]).json["rating"] == .null)
      #expect(try await service.send(.GET, "/v1/takes/\(own.take.id)", [key]).json["rating"] == 1)
      // By its identifier another room's take looks like one that is missing.
      let hidden = try await service.post("/v1/exports", ["takes": [.string("\(other.take.id)")]], [owner])
      #expect(try hidden.items.map { $0["status"]?.integer } == [404])
    }
  }

  @Test func countsOnlyTheTakesThatATokenSees() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let key = ("Authorization", "Bearer \(TestService.key)")
      _ = try await ShelvedTake("Cellar", in: service.data, service.catalog)
      _ = try await ShelvedTake("Attic", in: service.data, service.catalog)
      let token = try await service.token("Cellar", .listener)
      for (query, whole, seen) in [("takes:2", 1, 0), ("takes:1", 0, 1), ("takes:1..", 1, 1)] {
        let path = "/v1/songs?q=\(query)"
        #expect(try await service.send(.GET, path, [key]).items.count == whole, "\(query)")
        #expect(try await service.send(.GET, path, [token]).items.count == seen, "\(query)")
      }
    }
  }

  @Test func bulkEditsDeletesAndRestoresWhatMatches() async throws {
    try await TestService.with { service async throws in
      for _ in 0..<3 { _ = try await ShelvedTake(in: service.data, service.catalog) }
      let other = try await ShelvedTake("Attic", in: service.data, service.catalog)
      // The edit takes away what the query asks for, and still reaches all.
      let edit: JSONValue = ["action": "edit", "q": "room:cellar rating:none", "changes": ["rating": 2]]
      let edited = try await service.post("/v1/takes/bulk", edit)
      #expect(try edited.items.map { $0["status"]?.integer } == [200, 200, 200])
      #expect(try await service.post("/v1/takes/bulk", edit).items.isEmpty)
      let gone = try await service.post("/v1/takes/bulk", ["action": "delete", "q": "rating:2"])
      #expect(try gone.items.count == 3)
      #expect(try await ids(service.send(.GET, "/v1/takes")) == ["\(other.take.id)"])
      let back = try await service.post("/v1/takes/bulk", ["action": "restore", "q": "rating:2"])
      #expect(try back.items.map { $0["status"]?.integer } == [200, 200, 200])
      for body in [
        ["action": "delete", "q": "rating:9"], ["action": "delete", "q": ""], ["action": "delete"],
        ["action": "delete", "q": "x", "takes": []], ["action": "delete", "q": 3],
      ] as [JSONValue] {
        #expect(try await service.post("/v1/takes/bulk", body).status == 400, "\(body)")
      }
      #expect(try await service.send(.GET, "/v1/takes").items.count == 4)
    }
  }

  @Test func exportsWhatMatchesEachOnItsOwn() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let rolling = try await ShelvedTake("Attic", in: service.data, service.catalog, state: .rolling)
      let answer = try await service.post(
        "/v1/exports", ["takes": [.string("\(rehearsed.take.id)"), .string("\(rolling.take.id)")], "format": "wav24"])
      #expect(answer.status == 200, "\(answer.text)")
      #expect(try answer.items.map { $0["status"]?.integer } == [202, 409])
      #expect(try answer.items.first?["export"]?.object?["take"]?.string == "\(rehearsed.take.id)")
      #expect(try answer.items.last?["problem"]?.object?["type"] == "urn:jamjar:problem:take-not-ready")
      let alike: JSONValue = ["q": .string("id:\(rehearsed.take.id)"), "format": "wav24"]
      let again = try await service.post("/v1/exports", alike)
      #expect(try again.items.first?["export"]?.object?["id"] == answer.items.first?["export"]?.object?["id"])
      for body in [["q": "ratng:4"], [:], ["q": "x", "takes": ["x"]], ["q": "x", "what": 1]] as [JSONValue] {
        #expect(try await service.post("/v1/exports", body).status == 400, "\(body)")
      }
    }
  }
}
