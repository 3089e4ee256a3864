import Foundation
import HTTPTypes
import Machines
import Music
import NIOCore
import NIOHTTP1
import Recording
import Signaling
import Testing

@testable import Catalog
@testable import Server

/// One take, answered on the thread of its connection as by the router.
@Suite(.timeLimit(.minutes(5)), .enabled(if: min(System.coreCount, ProcessInfo.processInfo.activeProcessorCount) > 1))
struct PromptTakeTests {
  /// The same manifest with a refinement.
  private static func refine(_ shelved: ShelvedTake, packets: Int, in service: TestService) throws {
    var manifest = Manifest(
      software: "test", take: shelved.take, session: shelved.session, tracks: [shelved.track], cues: [])
    manifest.refinement = Refinement(packets: packets, droppedPackets: 1, greatestMove: 2.5)
    try service.data.write(try manifest.encoded(), "\(shelved.take.folder)/manifest.json")
  }

  /// Takes of every kind.
  private static func takes(in service: TestService) async throws -> [TakeID] {
    let plain = try await ShelvedTake(in: service.data, service.catalog)
    let rolling = try await ShelvedTake(in: service.data, service.catalog, state: .rolling, song: nil)
    let refined = try await ShelvedTake(in: service.data, service.catalog)
    try refine(refined, packets: 3, in: service)
    var edited = try await ShelvedTake(in: service.data, service.catalog)
    edited.take.annotations = TakeAnnotations(
      title: "\"Ende\"\n", rating: 4, isFavourite: true, notes: "für später", tags: ["ballad", "Ö"])
    edited.take.deletedAt = MonotonicClock.wall
    edited.take.revision = 7
    let comment = CueComment(
      share: ShareID(at: MonotonicClock.wall), name: try DisplayName(checking: "Gäste"), isHidden: true)
    let cues = [Int64(0), 24_001].map {
      Cue(
        id: CueID(at: MonotonicClock.wall), position: SamplePosition($0), text: "hier\t!",
        author: edited.track.participant.id,
        comment: comment)
    }
    try await service.catalog.store(edited.take, tracks: [edited.track], cues: cues)
    var lost = try await ShelvedTake(in: service.data, service.catalog)
    lost.take.folder = "nowhere/at/all"
    try await service.catalog.store(lost.take, tracks: [lost.track], cues: [])
    return [plain, rolling, refined, edited, lost].map(\.take.id)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head], [false, true])
  func itIsTheRoutersAnswer(method: HTTPRequest.Method, hasToken: Bool) async throws {
    try await TestService.with {
      if hasToken { $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key]) }
    } _: { service async throws in
      let fields = hasToken ? [try await service.token("Cellar", .listener)] : []
      for id in try await PromptTakeTests.takes(in: service) {
        let path = "/v1/takes/\(id)"
        var given = fields
        for status in [200, 304] {
          // A body is always left to the router.
          let routed = try await service.send(.init(rawValue: method.rawValue), path, given, body: "{}")
          #expect(routed.status == status)
          let found = try await PromptAnswerTests.prompt(service, path, given, method)
          PromptAnswerTests.compare(try #require(found), routed, isHead: method == .head, "\(method) \(path)")
          given.append(("If-None-Match", try #require(routed["etag"])))
        }
      }
    }
  }

  @Test func aManifestThatHasChangedIsLeftToTheRouterOnce() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)"
      for packets in [nil, 3, 44] {
        if let packets { try PromptTakeTests.refine(shelved, packets: packets, in: service) }
        let early = try await PromptAnswerTests.prompt(service, path, tries: 3)
        #expect(early == nil)
        let routed = try await service.send(.GET, path, body: "{}")
        #expect(try routed.json["refinement"]?.object?["packets"]?.integer == packets.map(Int64.init))
        let answer = try #require(try await PromptAnswerTests.prompt(service, path))
        PromptAnswerTests.compare(answer, routed, path)
      }
      // The report of copies is the router's.
      try service.data.write("{}", "\(shelved.take.folder)/objects.json")
      let answer = try await PromptAnswerTests.prompt(service, path, tries: 3)
      #expect(answer == nil)
    }
  }

  /// The last answer is remembered, for its room alone and until anything in the index or the manifest changes.
  @Test func whatIsRememberedIsTheRoutersAnswerAfterEveryChange() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      var shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)"
      let own = [try await service.token("Cellar", .listener)]
      let foreign = [try await service.token("Attic", .listener)]
      for rating in [nil, 3, 5] {
        shelved.take.annotations.rating = rating
        shelved.take.revision += 1
        try await service.catalog.store(shelved.take, tracks: [shelved.track], cues: [])
        let routed = try await service.send(.GET, path, own, body: "{}")
        for _ in 1...2 {
          let answer = try #require(try await PromptAnswerTests.prompt(service, path, own))
          PromptAnswerTests.compare(answer, routed, path)
        }
        let refused = try await PromptAnswerTests.prompt(service, path, foreign, tries: 3)
        #expect(refused == nil)
        let tag = ("If-None-Match", try #require(routed["etag"]))
        let unchanged = try await PromptAnswerTests.prompt(service, path, own + [tag])
        #expect(unchanged?.status == .notModified)
      }
      try PromptTakeTests.refine(shelved, packets: 3, in: service)
      let early = try await PromptAnswerTests.prompt(service, path, own, tries: 3)
      #expect(early == nil)
      let routed = try await service.send(.GET, path, own, body: "{}")
      let answer = try #require(try await PromptAnswerTests.prompt(service, path, own))
      PromptAnswerTests.compare(answer, routed, path)
    }
  }

  @Test func manyCuesAreLeftToTheRouter() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)"
      for (count, isPrompt) in [(100, true), (101, false)] {
        let cues = (0..<count).map {
          Cue(id: CueID(at: MonotonicClock.wall), position: SamplePosition(Int64($0)), text: "bridge")
        }
        try await service.catalog.store(shelved.take, tracks: [shelved.track], cues: cues)
        #expect(try await service.send(.GET, path, body: "{}").json["cues"]?.array?.count == count)
        let answer = try await PromptAnswerTests.prompt(service, path, tries: isPrompt ? 1_000 : 3)
        #expect((answer != nil) == isPrompt)
      }
    }
  }

  /// A body after the head of a HEAD's answer would be read as the next answer.
  @Test func aHeadHasNoBodyAndCountsLikeTheRouters() async throws {
    try await TestService.with { service async throws in
      let id = try await ShelvedTake(in: service.data, service.catalog).take.id
      // Once by the router, which then knows the manifest.
      #expect(try await service.send(.GET, "/v1/takes/\(id)", body: "{}").status == 200)
      let requests = ["HEAD /v1/takes/\(id)", "GET /v1/takes/\(id)", "HEAD /v1/takes", "HEAD /v1/takes?fields=id"].map {
        "\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n"
      }
      let bytes = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(
          requests.joined() + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return await connection.untilClosed()
      }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 6)
      #expect(text.components(separatedBy: "\"id\":\"\(id)\"").count == 2)
      let lines = try await service.send(.GET, "/metrics").text.split(separator: "\n")
      for (method, count) in [("GET", 2), ("HEAD", 1)] {
        let line = #"jamjar_http_requests_total{method="\#(method)",route="/v1/takes/{take}",status="2xx"} \#(count)"#
        #expect(lines.contains { $0 == line }, "\(line)")
      }
    }
  }
}
