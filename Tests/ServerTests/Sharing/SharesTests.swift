import Library
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Server

/// What a link opens to strangers, and what it does not.
@Suite(.timeLimit(.minutes(5))) struct SharesTests {
  private let key = ("Authorization", "Bearer \(TestService.key)")

  private func withKeys(
    data: DataFolder? = nil, _ adjust: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      {
        $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        adjust(&$0)
      }, data: data, body)
  }

  /// Makes a link; its path.
  private func share(_ take: TakeID, _ wish: JSONValue = [:], _ service: TestService) async throws -> String {
    let made = try await service.post("/v1/takes/\(take)/shares", wish, [key])
    #expect(made.status == 201, "\(made.text)")
    return try #require(try made.json["path"]?.string)
  }

  @Test func aLinkOpensTheMixOfItsTakeAndNothingElse() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let other = try await ShelvedTake("attic", in: service.data, service.catalog, player: "Bob")
      let link = try await share(shelved.take.id, ["title": "For Ann"], service)
      let page = try await service.send(.GET, link)
      #expect(page.status == 200 && page["content-type"]?.hasPrefix("text/html") == true)
      let told = try await service.send(.GET, link + "/take")
      let expected: JSONValue = "For Ann"
      #expect(try told.status == 200 && told.json["title"] == expected)
      // Neither the room nor anything by which to ask for more.
      #expect(!told.text.contains("Cellar") && !told.text.contains(shelved.take.id.description))
      #expect(try told.json["musicians"]?.array?.first?.object?["name"] == "Ada")
      let mix = try await service.send(.GET, link + "/mix")
      #expect(mix.status == 200 && mix.text == "the mix")
      let part = try await service.send(.GET, link + "/mix", [("Range", "bytes=4-6")])
      #expect(part.status == 206 && part.text == "mix")
      #expect(try await service.send(.GET, link + "/peaks").text == "peaks of the mix")
      #expect(try await service.send(.GET, link + "/tracks/\(shelved.track.id)/audio").status == 404)
      // The secret is no key, wherever it is shown.
      let secret = String(link.dropFirst("/s/".count))
      for path in ["/v1/takes", "/v1/takes/\(shelved.take.id)/mix", "/v1/takes/\(shelved.take.id)/shares"] {
        #expect(try await service.send(.GET, path).status == 401, "\(path)")
        #expect(try await service.send(.GET, path, [("Authorization", "Bearer \(secret)")]).status == 401, "\(path)")
      }
      // A secret of another take with the same random part is none.
      let mixed = ShareSecret(for: other.take.id).text.prefix(21) + secret.dropFirst(21)
      #expect(try await service.send(.GET, "/s/\(mixed)/take").status == 404)
    }
  }

  @Test func aLinkTellsWhereTheMusicSufferedAndNoFigures() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let mix = try await share(shelved.take.id, [:], service)
      let none = try await service.send(.GET, mix + "/quality")
      let nothing = try none.json["tracks"]
      #expect(none.status == 200 && nothing == [])
      let rows = [2, 0].map { (missed: Int) in
        QualityRow(
          start: SamplePosition(missed == 0 ? 144_000 : 0), end: SamplePosition(missed == 0 ? 288_000 : 144_000),
          reading: QualityReading(roundTrip: 77, expected: 100, missed: missed * 5, heard: HeardQuality(roundTrip: 78)))
      }
      let file = QualityFile(take: shelved.take.id, tracks: [.init(track: shelved.track.id, rows: rows)])
      try service.data.write(try file.encoded(), "\(shelved.take.folder)/quality.json")
      let told = try await service.send(.GET, mix + "/quality")
      let track = try #require(try told.json["tracks"]?.array?.first?.object)
      let stretch: JSONValue = ["start": 0, "end": 3, "level": 4, "cause": "loss"]
      #expect(track["name"] == "Ada" && track["id"] == .null && track["stretches"]?.array == [stretch])
      let others: [String] = ["77", "78", "Cellar", shelved.take.id.description]
      #expect(!others.contains { told.text.contains($0) })
      let tracks = try await share(shelved.take.id, ["contents": "tracks"], service)
      let named = try await service.send(.GET, tracks + "/quality")
      let id = try named.json["tracks"]?.array?.first?.object?["id"]?.string
      #expect(id == shelved.track.id.description)
    }
  }

  @Test func aLinkToTheTracksOpensThemAndNotTheMix() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let link = try await share(shelved.take.id, ["contents": "tracks"], service)
      #expect(try await service.send(.GET, link + "/tracks/\(shelved.track.id)/audio").text == ShelvedTake.audio)
      #expect(try await service.send(.GET, link + "/tracks/\(shelved.track.id)/peaks").text == "peaks of ada")
      for path in ["/mix", "/peaks", "/light"] {
        #expect(try await service.send(.GET, link + path).status == 404, "\(path)")
      }
      let told = try await service.send(.GET, link + "/take").json
      #expect(told["mix"] == false && told["tracks"]?.array?.count == 1)
    }
  }

  @Test func onlyHashesAreKeptAndNoArchiveHasThem() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let link = try await share(shelved.take.id, ["password": "kitchen sink"], service)
      let folder = try TakeFolder(existing: shelved.take.folder, in: service.data.path)
      let kept = String(decoding: try folder.read(TakeShares.fileName), as: UTF8.self)
      #expect(!kept.contains(link.dropFirst("/s/".count)) && !kept.contains("kitchen"))
      let listed = try await service.send(.GET, "/v1/takes/\(shelved.take.id)/shares", [key])
      #expect(try listed.items.count == 1 && !listed.text.contains("path"))
      let archive = try await service.send(.GET, "/v1/takes/\(shelved.take.id)/archive", [key])
      #expect(archive.status == 200 && archive.text.contains("mix.flac") && !archive.text.contains("shares.json"))
    }
  }

  @Test func whatIsRevokedExpiredOrDeletedOpensNothingAndTheirPageSaysSo() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/shares"
      let link = try await share(shelved.take.id, [:], service)
      let revoked = try await share(shelved.take.id, [:], service)
      let ids = try await service.send(.GET, path, [key]).items.compactMap { $0["id"]?.string }
      let last = try #require(ids.last)
      #expect(try await service.send(.DELETE, "\(path)/\(last)", [key]).status == 204)
      #expect(try await service.send(.DELETE, "\(path)/\(last)", [key]).status == 404)
      #expect(try await service.send(.GET, revoked + "/mix").status == 404)
      #expect(try await service.send(.GET, revoked).status == 404)
      // A link that has expired cannot be made over REST.
      let secret = ShareSecret(for: shelved.take.id)
      let past = WallTime(milliseconds: MonotonicClock.wall.milliseconds - 1_000)
      _ = try await service.broker.library.share(
        shelved.take.id,
        as: Share(
          id: ShareID(at: past), contents: .mix, title: nil, createdAt: past, expiresAt: past, isOpenToComments: true,
          secretHash: secret.hash, password: nil))
      let expired = try await service.send(.GET, "/s/\(secret.text)/mix")
      #expect(try expired.status == 410 && expired.problem == "share-gone")
      let body: JSONValue = ["expiresAt": .string(past.description)]
      let refused = try await service.post(path, body, [key])
      #expect(try refused.status == 400 && refused.json["field"] == "expiresAt")

      #expect(try await service.send(.GET, link + "/mix").status == 200)
      #expect(try await service.send(.DELETE, "/v1/takes/\(shelved.take.id)", [key]).status == 200)
      #expect(try await service.send(.GET, link + "/mix").status == 410)
      let page = try await service.send(.GET, link)
      #expect(page.status == 410 && page["content-type"]?.hasPrefix("text/html") == true && !page.bytes.isEmpty)
      // Brought back, it opens again.
      #expect(try await service.post("/v1/takes/\(shelved.take.id)/restore", [:], [key]).status == 200)
      #expect(try await service.send(.GET, link + "/mix").status == 200)
    }
  }

  @Test func aLinkSurvivesARestart() async throws {
    let folder = try DataFolder()
    var link = ""
    try await withKeys(data: folder) { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      link = try await share(shelved.take.id, [:], service)
    }
    try await withKeys(data: folder) { service async throws in
      #expect(try await service.send(.GET, link + "/mix").text == "the mix")
    }
  }

  @Test func aPasswordIsNeededOnceAndWrongOnesAreSlowedDown() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let link = try await share(shelved.take.id, ["password": "kitchen sink"], service)
      let other = try await share(shelved.take.id, ["password": "kitchen sink"], service)
      #expect(try await service.send(.GET, link).status == 200)
      for path in ["/take", "/mix", "/peaks", "/light"] {
        let refused = try await service.send(.GET, link + path)
        #expect(try refused.status == 401 && refused.problem == "share-password", "\(path)")
      }
      let comment: JSONValue = ["name": "Ann", "text": "hello", "position": 1]
      #expect(try await service.post(link + "/comments", comment).status == 401)
      let right = try await service.post(link + "/password", ["password": "kitchen sink"])
      let field = try #require(right["set-cookie"])
      #expect(right.status == 204 && field.contains("HttpOnly; SameSite=Strict") && field.contains("Path=\(link);"))
      let cookie = ("Cookie", String(field.prefix { $0 != ";" }))
      #expect(try await service.send(.GET, link + "/mix", [cookie]).text == "the mix")
      #expect(try await service.send(.GET, other + "/mix", [cookie]).status == 401)
      let forged = ("Cookie", cookie.1.replacing("=1", with: "=2"))
      #expect(try await service.send(.GET, link + "/mix", [forged]).status == 401)
      let foreign = [("Origin", "https://evil.example")]
      #expect(try await service.post(link + "/password", ["password": "kitchen sink"], foreign).status == 403)
      var statuses: [Int] = []
      for _ in 0..<12 { statuses.append(try await service.post(link + "/password", ["password": "no no no"]).status) }
      #expect(statuses.first == 401 && statuses.last == 429, "\(statuses)")
      #expect(try await service.post(link + "/password", ["password": "kitchen sink"]).status == 204)
    }
  }

  /// Each costs 60 ms of a thread that reads files for everybody.
  @Test func passwordsAreAlsoCountedWhereLinksAreMade() async throws {
    try await withKeys {
      $0.limits.quotas[.password, per: .credential] = .rate(2, per: .seconds(60))
    } _: {
      service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let token = try await service.token(shelved.take.room.description)
      let path = "/v1/takes/\(shelved.take.id)/shares"
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await service.post(path, ["password": "kitchen sink"], [token]).status) }
      #expect(statuses == [201, 201, 429])
      #expect(try await service.post(path, [:], [token]).status == 201)
    }
  }

  @Test func anybodyMayFrameThePlayerAndNobodyThePage() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let link = try await share(shelved.take.id, [:], service)
      let page = try await service.send(.GET, link)
      let player = try await service.send(.GET, link + "/embed")
      #expect(page["content-security-policy"]?.hasSuffix("frame-ancestors 'none'") == true)
      #expect(page["cross-origin-resource-policy"] == "same-origin")
      #expect(player["content-security-policy"]?.hasSuffix("frame-ancestors *") == true)
      #expect(player["cross-origin-resource-policy"] == "cross-origin" && page["cross-origin-embedder-policy"] == nil)
      #expect(player["cross-origin-embedder-policy"] == "require-corp")
      #expect(player["content-security-policy"]?.contains("unsafe") == false)
    }
  }

  @Test func badWishesAreRefusedByName() async throws {
    try await withKeys { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/shares"
      let wishes: [(JSONValue, String)] = [
        (["contents": "all"], "contents"), (["password": "short"], "password"), (["expiresAt": "soon"], "expiresAt"),
        (["comments": "yes"], "comments"), (["title": ""], "title"), (["secret": "x"], "secret"),
      ]
      for (wish, field) in wishes {
        let answer = try await service.post(path, wish, [key])
        #expect(try answer.status == 400 && answer.json["field"]?.string == field, "\(wish.text) \(answer.text)")
        #expect(!answer.text.contains("\"short\""))
      }
      let rolling = try await ShelvedTake("den", in: service.data, service.catalog, state: .rolling)
      #expect(try await service.post("/v1/takes/\(rolling.take.id)/shares", [:], [key]).status == 409)
    }
  }
}
