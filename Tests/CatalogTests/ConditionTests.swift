import GRDB
import Music
import TestSupport
import Testing

@testable import Catalog

/// Queries find in the index what a look at every take finds.
@Suite struct ConditionTests {
  // MARK: Random catalogues and conditions

  private static let titles = ["Blue in Green", "Blue", "So What", "Größe"]
  private static let tags = ["warmup", "Keeper", "c", "c#", "blue in"]
  private static let names = ["Ada", "Bob", "Ada L.", "Zoë"]
  private static let texts = [
    "first try", "green blue", "don’t stop", "in green, blue", "too FAST", "Bridge: blue in green",
  ]

  static func catalogue(_ generator: inout SeededRandom, in catalog: any CatalogEngine) async throws -> [Kept] {
    let songs = titles.map(Example.song)
    let people = try (names + ["Ada"]).map(Example.participant)
    var all: [Kept] = []
    for index in 0..<70 {
      func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }
      var take = try Example.finished(
        pick(["Cellar", "Attic", "Café 1"]) ?? "", at: Int64(index) * 3_600, number: index % 5 + 1,
        state: pick([.ready, .ready, .incomplete, .failed]) ?? .ready,
        song: pick(songs))
      if Bool.random(using: &generator) { take.song = nil }
      take.length =
        index % 9 == 0 ? nil : SamplePosition(Int64.random(in: 0...9_600_000, using: &generator))
      take.annotations = TakeAnnotations(
        title: pick(texts + [nil, nil, nil]) ?? nil, rating: pick([nil, 1, 2, 3, 4, 5]) ?? nil,
        isFavourite: index % 3 == 0, notes: pick(texts + [nil, nil]) ?? nil,
        tags: tags.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 })
      if index % 6 == 5 { take.deletedAt = Example.time(1_000_000) }
      let tracks = people.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator)).enumerated().map
      {
        Example.track(
          take, $0 + 1, $1,
          gaps: (0..<Int.random(in: 0...2, using: &generator)).map { number in
            Gap(
              start: SamplePosition(Int64(number) * 960), length: SamplePosition(480), cause: .loss, isConcealed: true)
          })
      }
      let cues = (0..<Int.random(in: 0...2, using: &generator)).map { number in
        Cue(id: CueID(at: Example.noon), position: SamplePosition(Int64(number)), text: pick(texts) ?? "")
      }
      take.trackCount = tracks.count
      try await catalog.store(take, tracks: tracks, cues: cues)
      all.append(Kept(take: take, tracks: tracks, cues: cues))
    }
    return all
  }

  private static func term(_ all: [Kept], _ generator: inout SeededRandom) -> TakeTerm {
    func pick<Element>(_ elements: [Element], _ other: Element) -> Element {
      elements.randomElement(using: &generator) ?? other
    }
    let low = Int.random(in: 0...3, using: &generator)
    let time = Example.time(Int64.random(in: -10...260_000, using: &generator))
    let words = ["blu", "green", "ada", "GUITAR", "first", "fast", "zoe", "dont", "xyz", "br", "in", "keep"]
    switch Int.random(in: 0..<15, using: &generator) {
    case 0:
      return .phrase(pick(["blue in green", "green blue", "don't stop", "in", "ada l", "blue in", "warmup c"], ""))
    case 1:
      let names = [
        "cellar", "CAFE 1", "att", "blue", "so what", "grösse", "Ada", "ada l.", "zoe", "keeper", "c", "c#", "nobody",
      ]
      return .named(
        pick(TakeTerm.NameField.allCases, .tag),
        NamePattern(pick(names, ""), isBeginning: Int.random(in: 0..<3, using: &generator) == 0))
    case 2: return .textWord(pick(TakeTerm.TextField.allCases, .note), pick(words, ""))
    case 3: return .textPhrase(pick(TakeTerm.TextField.allCases, .note), pick(["green blue", "too fast", "in"], ""))
    case 4: return .absent(pick(TakeTerm.AbsentField.allCases, .song))
    case 5: return .session(pick(all.map(\.take.session), SessionID(at: time)))
    case 6: return .state(pick(TakeState.allCases, .ready))
    case 7: return .favourite(Bool.random(using: &generator))
    case 8: return .id(String(pick(all.map { "\($0.take.id)" }, "").prefix(Int.random(in: 6...12, using: &generator))))
    case 9: return .rating(max(1, low)...Int.random(in: max(1, low)...5, using: &generator))
    case 10:
      return .count(pick(TakeTerm.CountField.allCases, .gaps), low...(low + Int.random(in: 0...3, using: &generator)))
    case 11: return .duration(Int64(low) * 40_000...Int64(low) * 40_000 + 60_000)
    case 12: return .after(time)
    case 13: return .before(time)
    default: return .word(pick(words, ""))
    }
  }

  static func condition(_ all: [Kept], _ depth: Int, _ generator: inout SeededRandom) -> TakeCondition {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &generator) {
    case 2, 3: .every((0..<2).map { _ in condition(all, depth - 1, &generator) })
    case 4: .some((0..<2).map { _ in condition(all, depth - 1, &generator) })
    case 5: .not(condition(all, depth - 1, &generator))
    default: .term(term(all, &generator))
    }
  }

  private static func found(_ query: TakeQuery, in catalog: any CatalogEngine) async throws -> [TakeID] {
    var query = query
    var ids: [TakeID] = []
    repeat {
      let page = try await catalog.takes(query)
      ids += page.items.map(\.id)
      query.cursor = page.next
    } while query.cursor != nil
    return ids
  }

  @Test(arguments: [1, 2] as [UInt64], Engine.allCases)
  func theIndexFindsWhatALookAtEveryTakeFinds(seed: UInt64, engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var generator = SeededRandom(seed)
    let all = try await Self.catalogue(&generator, in: catalog)
    var hits = 0
    for _ in 0..<400 {
      let condition = Self.condition(all, 3, &generator)
      let isDeleted = Int.random(in: 0..<4, using: &generator) == 0
      let isOldest = Bool.random(using: &generator)
      let room = Int.random(in: 0..<4, using: &generator) == 0 ? try Example.room("Cellar") : nil
      let query = TakeQuery(
        room: room, condition: condition, shelf: isDeleted ? .deleted : .kept, sort: isOldest ? .oldest : .newest,
        limit: 7)
      var expected = all.filter {
        Self.holds(condition, $0) && ($0.take.deletedAt != nil) == isDeleted && (room == nil || $0.take.room == room)
      }
      .map(\.take.id)
      if !isOldest { expected.reverse() }
      #expect(try await Self.found(query, in: catalog) == expected, "\(condition)")
      hits += expected.isEmpty ? 0 : 1
    }
    // Most conditions find something, or this would show nothing.
    #expect(hits > 100)
  }

  // MARK: What breaks it

  @Test(arguments: Engine.allCases) func noValueIsSQLOrQuerySyntax(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var take = try Example.finished()
    take.annotations.tags = ["x"]
    try await catalog.store(take, tracks: [], cues: [])
    let values = [
      "x' OR 1=1 --", "x\" OR \"_f0", "\") OR (\"_f1\"", "_f0", "'; DROP TABLE takes; --", "%", "x\u{0}", "* OR x", "?",
      "NEAR(x)", "{words}: x", "]", "\\", "\u{202E}",
    ]
    for value in values {
      for field in TakeTerm.NameField.allCases {
        for isBeginning in [false, true] {
          let pattern = NamePattern(value, isBeginning: isBeginning)
          #expect(
            try await Self.found(TakeQuery(condition: .term(.named(field, pattern))), in: catalog).isEmpty,
            "\(field) \(value)")
        }
      }
      for term in [TakeTerm.word(value), .phrase(value), .textWord(.note, value), .textPhrase(.cue, value)] {
        _ = try await Self.found(TakeQuery(condition: .term(term)), in: catalog)
      }
    }
    #expect(try await Self.found(TakeQuery(condition: .term(.word("_f0"))), in: catalog).isEmpty)
    #expect(try await Self.found(TakeQuery(condition: .not(.term(.word("!!!")))), in: catalog) == [take.id])
    #expect(try await Self.found(TakeQuery(condition: .term(.named(.tag, NamePattern("X")))), in: catalog) == [take.id])
  }

  /// Phrases and fields of text need functions of our own, which each way of opening the file has to add.
  @Test(arguments: [true, false]) func theCommandLineFindsPhrasesToo(forReadingOnly: Bool) async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    var take = try Example.finished()
    take.annotations.title = "Blue in Green"
    take.annotations.tags = ["first try"]
    try await catalog.store(take, tracks: [], cues: [])
    let beside = try SQLiteCatalog.open(beside: shelf.path, forReadingOnly: forReadingOnly)
    let query = "\"in green\" title:blue \"first try\" -note:slow"
    let condition = try TakeCondition(reading: query, now: Example.noon)
    #expect(try await beside.takes(TakeQuery(condition: condition)).items.map(\.id) == [take.id])
    try beside.close()
  }

  @Test(arguments: Engine.allCases) func manyPeopleOfOneNameAreFound(engine: Engine) async throws {
    let shelf = try await engine.shelf()
    let catalog = shelf.catalog
    var expected: [TakeID] = []
    for index in 0..<520 {
      let take = try Example.finished(at: Int64(index))
      try await catalog.store(take, tracks: [Example.track(take, 1, try Example.participant("Ada"))], cues: [])
      expected.append(take.id)
    }
    let other = try Example.finished(at: 9_999)
    try await catalog.store(other, tracks: [Example.track(other, 1, try Example.participant("Adam"))], cues: [])
    let ada = TakeCondition.term(.named(.participant, NamePattern("ADA")))
    #expect(try await Self.found(TakeQuery(condition: ada, sort: .oldest, limit: 200), in: catalog) == expected)
    #expect(try await Self.found(TakeQuery(condition: .not(ada)), in: catalog) == [other.id])
  }

  @Test(
    arguments: [
      "blue", "\"blue in green\"", "room:x song:y* participant:z tag:k", "-tag:k", "a OR -b",
      "title:x note:\"a b\" cue:c",
      "song:none cue:none rating:none", "rating:2..3 favourite:no state:ready", "gaps:1.. tracks:2 number:..4",
      "duration:3:00..", "after:2026 before:2027", "a OR after:2026", "-(gaps:0 OR \"a b\")", "id:01ARYZ",
    ])
  func nothingIsScannedOrSorted(text: String) async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    var take = try Example.finished("x", song: Example.song("y"))
    take.annotations.tags = ["k"]
    try await catalog.store(take, tracks: [Example.track(take, 1, try Example.participant("z"))], cues: [])
    for sort in [TakeQuery.Sort.newest, .oldest] {
      let listing = try TakeListing(
        TakeQuery(condition: try TakeCondition(reading: text, now: Example.noon), sort: sort))
      let statement = try #require(try await catalog.read { try listing.statement(in: $0) })
      let plan = try await QueryPlanTests.plan(statement.sql, statement.arguments, catalog)
      #expect(plan.first?.hasPrefix("SCAN take_words VIRTUAL TABLE INDEX") == true, "\(plan)")
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
      #expect(!plan.contains { $0.hasPrefix("SCAN ") && !$0.contains("VIRTUAL TABLE INDEX") }, "\(plan)")
    }
  }

  @Test func ordersThatWouldHaveToSortAreRefused() async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    await #expect(throws: CatalogError.unsupportedSort(.longest)) {
      try await catalog.takes(TakeQuery(condition: .term(.word("x")), sort: .longest))
    }
  }
}
