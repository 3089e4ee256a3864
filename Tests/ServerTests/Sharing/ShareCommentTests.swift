import Library
import Machines
import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Server

/// Comments of visitors: cues with a name that proves nothing, which the room can hide.
@Suite(.timeLimit(.minutes(5))) struct ShareCommentTests {
  private func link(_ take: TakeID, _ wish: JSONValue = [:], _ service: TestService) async throws -> String {
    let made = try await service.post("/v1/takes/\(take)/shares", wish)
    return try #require(try made.json["path"]?.string)
  }

  @Test func aCommentIsACueThatSaysWhereItCameFromAndCanBeHidden() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/cues"
      let link = try await link(shelved.take.id, [:], service)
      let body: JSONValue = ["name": "Ann <b>", "text": "<script>", "position": .number(1.5)]
      let added = try await service.post(link + "/comments", body)
      #expect(try added.status == 201 && added.json["name"] == "Ann <b>", "\(added.text)")
      let cues = try await service.send(.GET, path).items
      #expect(cues.map { $0["text"]?.string } == ["bridge", "<script>"])
      #expect(cues.first?["comment"] == .null)
      let comment = try #require(cues.last?["comment"]?.object)
      #expect(comment["name"] == "Ann <b>" && comment["hidden"] == false)
      // Found by a search like other cues, and told as an event.
      let id = try #require(cues.last?["id"]?.string)
      let hidden = try await service.patch("\(path)/\(id)", ["hidden": true])
      #expect(try hidden.status == 200 && hidden.json["comment"]?.object?["hidden"] == true)
      let shown = try await service.send(.GET, link + "/take").json["cues"]?.array?.count
      #expect(shown == 1)
      let first = try #require(cues.first?["id"]?.string)
      let refused = try await service.patch("\(path)/\(first)", ["hidden": true])
      #expect(try refused.status == 400 && refused.json["field"] == "hidden")
      // The index is a cache: what is in it can be read from the files again.
      let folder = try service.broker.library.edits.edits(after: 0, limit: 10).compactMap { $0.event?.kind }
      #expect(folder == [.takeShared, .takeCommented, .takeEdited])
    }
  }

  @Test func commentsAreBoundedInFormPlaceAndNumber() async throws {
    try await TestService.with({
      $0.limits.quotas[.comment, per: .credential] = .rate(3, per: .seconds(60))
    }) { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let quiet = try await link(shelved.take.id, ["comments": false], service)
      let good: JSONValue = ["name": "Ann", "text": "hello", "position": 1]
      #expect(try await service.post(quiet + "/comments", good).status == 403)
      let link = try await link(shelved.take.id, [:], service)
      let wrong: [(JSONValue, String)] = [
        (["text": "x", "position": 1], "name"), (["name": "", "text": "x", "position": 1], "name"),
        (["name": "Ann", "position": 1], "text"), (["name": "Ann", "text": "x"], "position"),
        (["name": "Ann", "text": "x", "position": -1], "position"), (["name": "Ann", "text": "x", "at": 1], "at"),
      ]
      for (body, field) in wrong {
        let answer = try await service.post(link + "/comments", body)
        #expect(try answer.status == 400 && answer.json["field"]?.string == field, "\(body.text) \(answer.text)")
      }
      let foreign = [("Origin", "https://evil.example")]
      #expect(try await service.post(link + "/comments", good, foreign).status == 403)
      var statuses: [Int] = []
      for _ in 0..<4 { statuses.append(try await service.post(link + "/comments", good).status) }
      #expect(statuses == [201, 201, 201, 429])
      // Another link is another party.
      let other = try await self.link(shelved.take.id, [:], service)
      #expect(try await service.post(other + "/comments", good).status == 201)
      // Beyond the end of the take.
      let late: JSONValue = ["name": "Ann", "text": "x", "position": 3]
      #expect(try await service.post(other + "/comments", late).status == 400)
    }
  }
}
