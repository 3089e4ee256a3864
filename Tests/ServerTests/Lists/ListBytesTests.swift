import Catalog
import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Recording
import Signaling
import TestSupport
import Testing

@testable import Server

@Suite struct ListBytesTests {
  private static let texts = [
    "Blue in Green", "\"quoted\"", "back\\slash", "a\nb\tc\rd", "\u{1}\u{1F}\u{7F}", "Größe", "e\u{301}", "日本語",
    "👩‍👩‍👧", "\u{2028}", String(repeating: "x", count: 2_000),
  ]
  private static let times: [WallTime] = [
    WallTime(milliseconds: 0), WallTime(milliseconds: -1), WallTime(milliseconds: .max),
    WallTime(milliseconds: .min), WallTime(milliseconds: 1_795_262_400_001), WallTime(nanoseconds: 999_999),
  ]
  private static let numbers: [Double] = [
    0, -0.0, -18.5, 1e-7, 1e21, 0.1, .nan, .infinity, -.greatestFiniteMagnitude, 9_007_199_254_740_992, -14,
  ]

  private static func take(using generator: inout SeededRandom) throws -> Take {
    func text() -> String { texts.randomElement(using: &generator) ?? "" }
    func time() -> WallTime { times.randomElement(using: &generator) ?? WallTime(milliseconds: 0) }
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
    func id() -> ULID {
      ULID(
        high: UInt64.random(in: .min ... .max, using: &generator),
        low: UInt64.random(in: .min ... .max, using: &generator))
    }
    let room = ["Cellar", "Größe & Co", "a'(b)!", "日本"].randomElement(using: &generator) ?? "Cellar"
    let take = TakeID(id())
    return Take(
      id: take, number: Int.random(in: 1...1_000_000_000, using: &generator),
      state: TakeState.allCases.randomElement(using: &generator) ?? .ready, room: try RoomName(checking: room),
      session: SessionID(id()), song: maybe(Song(id: SongID(id()), title: text())), startedAt: time(),
      endedAt: maybe(time()), length: maybe(SamplePosition(Int64.random(in: 0...1 << 48, using: &generator))),
      trackCount: Int.random(in: 0...40, using: &generator), folder: "takes/\(take)",
      annotations: TakeAnnotations(
        title: maybe(text()), rating: maybe(Int.random(in: 1...5, using: &generator)),
        isFavourite: Bool.random(using: &generator), notes: maybe(text()),
        tags: (0..<Int.random(in: 0...3, using: &generator)).map { _ in text() }),
      loudness: maybe(numbers.randomElement(using: &generator) ?? 0), deletedAt: maybe(time()),
      revision: Int.random(in: 1...1 << 40, using: &generator))
  }

  /// The text of a list is written from the rows, that of a take from its object: they must not drift apart.
  @Test func aTakeInAListHasTheBytesOfItsObject() async throws {
    let data = try DataFolder()
    let index = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
    var generator = SeededRandom(18)
    var all: [TakeContents] = []
    for _ in 0..<300 {
      all.append(TakeContents(take: try ListBytesTests.take(using: &generator), tracks: [], cues: []))
    }
    try await index.store(all)
    var compared = 0
    for shelf in TakeQuery.Shelf.allCases {
      var query = TakeQuery(shelf: shelf, limit: 40)
      repeat {
        let page = try await index.takes(query)
        let text = try await index.takeText(query)
        #expect(text == PageText(page) { .object(Representation.take($0)) })
        compared += page.items.count
        query.cursor = page.next
      } while query.cursor != nil
    }
    #expect(compared == all.count)
  }

  // MARK: Parameters

  private static func request(_ query: String, _ headers: HTTPFields = [:]) -> Request {
    let head = HTTPRequest(
      method: .get, scheme: "http", authority: "localhost", path: "/v1/takes\(query)", headerFields: headers)
    return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
  }

  @Test(arguments: [
    ("", []), ("?", []), ("?a=1", ["a", "1"]), ("?a=1&a=2&b", ["a", "1", "a", "2", "b", ""]),
    ("?&&a=&", ["a", ""]), ("?=x", ["", "x"]), ("?a==b=", ["a", "=b="]),
    ("?a=b+c%2Bd%20e", ["a", "b c+d e"]), ("?a%26b=%3D", ["a&b", "="]),
    // What is not right percent-encoding stays as it is, but a plus is a blank.
    ("?a=%zz+%4", ["a", "%zz %4"]), ("?a=%FF", ["a", "%FF"]), ("?q=Gr%C3%B6%C3%9Fe", ["q", "Größe"]),
    ("?a=%00", ["a", "\u{0}"]), ("?a=1#b", ["a", "1"]),
  ])
  func parametersAreReadAsFormsAre(query: String, pairs: [String]) {
    let found = ListBytesTests.request(query).parameters
    #expect(found.flatMap { [$0.name, $0.value] } == pairs, "\(query)")
  }

  @Test func theFirstOfRepeatedParametersCountsAndUnknownOnesAreRefused() throws {
    let list = try ListQuery(ListBytesTests.request("?limit=3&limit=x&q=blue"), permitted: ["q"])
    #expect(try list.limit == 3)
    #expect(try list.text("q") == "blue")
    #expect(throws: Problem.self) { try ListQuery(ListBytesTests.request("?limit=3&tempo=1"), permitted: ["q"]) }
  }

  // MARK: 304

  /// Answers a request for a list of one item; counts how often it is read.
  private static func answer(
    _ index: some TakeIndex, _ query: TakeQuery = TakeQuery(), field: String? = nil
  ) async throws -> (response: Response, reads: Int) {
    var headers: HTTPFields = [:]
    headers[.ifNoneMatch] = field
    var reads = 0
    let response = try await Response.page(of: query, in: index, to: request("", headers)) { _ in
      reads += 1
      return PageText(items: Array("[]".utf8), next: nil)
    }
    return (response, reads)
  }

  @Test func whatTheClientHasIsNotReadAgain() async throws {
    let data = try DataFolder()
    let index = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
    let first = try await ListBytesTests.answer(index)
    let tag = try #require(first.response.headers[.eTag])
    #expect(first.reads == 1 && first.response.status == .ok)
    for field in [tag, "W/\(tag)", "\"x\", \(tag)"] {
      let again = try await ListBytesTests.answer(index, field: field)
      #expect(again.response.status == .notModified && again.reads == 0, "\(field)")
      #expect(again.response.headers[.eTag] == tag)
    }
    // A star could belong to a query that must be refused.
    let star = try await ListBytesTests.answer(index, field: "*")
    #expect(star.response.status == .notModified && star.reads == 1)
    let other = try await ListBytesTests.answer(index, TakeQuery(limit: 51), field: tag)
    #expect(other.response.status == .ok && other.response.headers[.eTag] != tag)
    _ = try await ShelvedTake(in: data, index)
    let changed = try await ListBytesTests.answer(index, field: tag)
    #expect(changed.response.status == .ok && changed.response.headers[.eTag] != tag)
  }

  @Test func anIndexThatCannotTellItsEditionIsReadAndTheTagIsThatOfTheBody() async throws {
    let data = try DataFolder()
    let index = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
    try index.close()
    let first = try await ListBytesTests.answer(index)
    let tag = try #require(first.response.headers[.eTag])
    let again = try await ListBytesTests.answer(index, field: tag)
    #expect(again.response.status == .notModified && again.reads == 1)
  }
}
