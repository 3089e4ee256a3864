import Foundation
import HTTPTypes
import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Signaling
import Testing

@testable import Catalog
@testable import Server

/// What is answered before the router is what the router answers, and everything else is left to it.
@Suite(.timeLimit(.minutes(5)), .enabled(if: min(System.coreCount, ProcessInfo.processInfo.activeProcessorCount) > 1))
struct PromptAnswerTests {
  private static func head(
    _ service: TestService, _ path: String, _ fields: [(String, String)] = [], _ method: HTTPRequest.Method = .get
  ) -> HTTPRequest {
    var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(service.port)", path: path)
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return head
  }

  /// The answer before the router; nil if it is left to it. A busy machine may need several tries.
  static func prompt(
    _ service: TestService, _ path: String, _ fields: [(String, String)] = [], _ method: HTTPRequest.Method = .get,
    tries: Int = 1_000
  ) async throws -> PageAnswer? {
    let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let origin = Turnstile.Origin(channel)
    let head = head(service, path, fields, method)
    var answer: PageAnswer?
    for _ in 0..<tries where answer == nil && service.prompt.mayAnswer(head) {
      answer = service.prompt.answer(head, from: origin)
    }
    try await channel.close()
    return answer
  }

  /// Every filter of the list, alone and beside others.
  static let queries = [
    "", "?limit=1", "?limit=200", "?limit=2&sort=oldest", "?sort=rating", "?sort=longest&limit=1", "?room=Cellar",
    "?room=Nowhere", "?state=ready", "?state=failed", "?rating=3", "?favourite=true", "?favourite=false&room=Attic",
    "?tag=ballad", "?after=2020-01-01T00:00:00Z", "?before=2020-01-01T00:00:00Z", "?q=blue", "?q=blue%20green",
    "?q=rating:%3E2", "?q=-room:Attic", "?q=tag:ball*", "?deleted=true", "?deleted=false&limit=3",
    "?song=01ARZ3NDEKTSV4RRFFQ69G5FAV", "?session=01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "?participant=01ARZ3NDEKTSV4RRFFQ69G5FAV",
  ]

  @Test(arguments: [false, true]) func itIsTheRoutersAnswer(hasToken: Bool) async throws {
    try await TestService.with {
      if hasToken { $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key]) }
    } _: { service async throws in
      for room in ["Cellar", "Attic", "Cellar"] {
        let shelved = try await ShelvedTake(room, in: service.data, service.catalog)
        if room == "Attic" { continue }
        var take = shelved.take
        take.annotations = TakeAnnotations(title: "\"Ende\"\n", rating: 4, isFavourite: true, tags: ["ballad"])
        try await service.catalog.store(take, tracks: [shelved.track], cues: [])
      }
      let fields = hasToken ? [try await service.token("Cellar", .listener)] : []
      var count = 0
      for query in PromptAnswerTests.queries {
        let path = "/v1/takes\(query)"
        // Without a member that is not in `fields`, the router would answer the same; a body is always left to it.
        let routed = try await service.send(.GET, path, fields, body: "{}")
        guard routed.status == 200 else { continue }
        count += 1
        let found = try await PromptAnswerTests.prompt(service, path, fields)
        let answer = try #require(found, "\(path)")
        PromptAnswerTests.compare(answer, routed, path)
      }
      #expect(count > 20)
    }
  }

  /// One answer in both ways: status, names and values of the fields, body.
  static func compare(_ answer: PageAnswer, _ routed: TestService.Answer, isHead: Bool = false, _ what: String) {
    #expect(answer.status.code == routed.status, "\(what)")
    // The handler leaves the body of a HEAD's answer away.
    if !isHead { #expect(answer.body.map { Array($0.readableBytesView) } ?? [] == routed.bytes, "\(what)") }
    let names = Set(answer.headers.map { $0.name.canonicalName })
    #expect(names == Set(routed.headers.map { $0.name.lowercased() }), "\(what)")
    for name in names.subtracting(["date", "x-request-id"]) {
      let value = HTTPField.Name(name).flatMap { answer.headers[$0] }
      #expect(value == routed[name], "\(what) \(name)")
    }
  }

  @Test func whatHasToBeRefusedIsLeftToTheRouter() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      let own = try await ShelvedTake(in: service.data, service.catalog)
      let foreign = try await ShelvedTake("Attic", in: service.data, service.catalog)
      let token = try await service.token("Cellar", .listener)
      // What the router has read of a take's files is remembered.
      #expect(try await service.send(.GET, "/v1/takes/\(own.take.id)?fields=id", [token]).status == 200)
      for path in ["/v1/takes", "/v1/takes/\(own.take.id)"] {
        let usual = try await PromptAnswerTests.prompt(service, path, [token])
        #expect(usual != nil, "\(path)")
      }
      let wrong = ("Authorization", "Bearer a-wrong-key-of-a-stranger")
      let left: [(path: String, fields: [(String, String)])] = [
        ("/v1/takes", []), ("/v1/takes", [wrong]), ("/v1/takes?limit=0", [token]), ("/v1/takes?room=Attic", [token]),
        ("/v1/takes?fields=id", [token]), ("/v1/takes?expand=tracks", [token]), ("/v1/takes?x=1", [token]),
        ("/v1/takes/", [token]), ("/v1/takesx", [token]), ("/v1/takes?cursor=x", [token]),
        ("/v1/takes/\(foreign.take.id)", [token]), ("/v1/takes/\(TakeID(at: .init(milliseconds: 1)))", [token]),
        ("/v1/takes/\(own.take.id)?fields=id", [token]), ("/v1/takes/\(own.take.id)/", [token]),
        ("/v1/takes/\(own.take.id)/tracks", [token]), ("/v1/takes/\(own.take.id)", []), ("/v1/takes/bulk", [token]),
        ("/v1/takes", [token, ("Connection", "close")]), ("/v1/takes", [token, ("Expect", "100-continue")]),
      ]
      for (path, fields) in left {
        let answer = try await PromptAnswerTests.prompt(service, path, fields, tries: 3)
        #expect(answer == nil, "\(path) \(fields)")
      }
    }
  }

  /// Who is over the limit gets nothing read, and the router's refusal: for people a page.
  @Test func aRequestOverTheLimitIsLeftToTheRouter() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      $0.limits.quotas[.request, per: .credential] = .rate(2, per: .seconds(600))
    } _: { service async throws in
      let token = try await service.token("Cellar", .listener)
      for _ in 0..<2 { #expect(try await service.send(.GET, "/v1/takes", [token]).status == 200) }
      let answer = try await PromptAnswerTests.prompt(service, "/v1/takes", [token], tries: 3)
      #expect(answer == nil)
      let page = try await service.send(.GET, "/v1/takes", [token, ("Accept", "text/html")])
      #expect(page.status == 429 && page["content-type"] == "text/html; charset=utf-8" && page["retry-after"] != nil)
    }
  }

  @Test func oneLoopIsLeftToEverybodyElse() {
    #expect(LoopShare(loops: 1).run { 1 } == nil)
    let pair = LoopShare(loops: 2)
    #expect(pair.run { pair.run { 1 } ?? 2 } == 2)
    #expect(pair.run { 1 } == 1)
    let three = LoopShare(loops: 3)
    let nested: Int?? = three.run { three.run { three.run { 1 } ?? 2 } }
    #expect(nested == 2)
  }

  /// Pages of more than a megabyte, so that the last is not written yet when the client says that it asks no more.
  @Test func aClientThatSendsNoMoreStillGetsEverything() async throws {
    try await TestService.with { service async throws in
      for _ in 0..<60 {
        let shelved = try await ShelvedTake(in: service.data, service.catalog)
        var take = shelved.take
        take.annotations.notes = String(repeating: "n", count: 20_000)
        try await service.catalog.store(take, tracks: [shelved.track], cues: [])
      }
      let (port, request) = (service.port, "GET /v1/takes?limit=60 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      for count in 1...8 {
        let bytes = try await PromptAnswerTests.halfClosed(port, String(repeating: request, count: count))
        let ends = String(decoding: bytes, as: UTF8.self).components(separatedBy: #","next":null}"#).count - 1
        #expect(ends == count && bytes.count > count * 1_000_000, "\(bytes.count) bytes")
      }
    }
  }

  /// Sends `text`, ends that side of the connection, and reads all there is.
  private static func halfClosed(_ port: Int, _ text: String) async throws -> [UInt8] {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(ChannelOptions.socketOption(.so_rcvbuf), value: 4_096)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      outbound.finish()
      var bytes: [UInt8] = []
      do {
        for try await chunk in inbound { bytes += Array(chunk.readableBytesView) }
      } catch {}
      return bytes
    }
  }
}
