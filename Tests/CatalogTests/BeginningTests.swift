import GRDB
import Music
import TestSupport
import Testing

@testable import Catalog

/// Search by the beginnings of words, and pages of it.
@Suite struct BeginningTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  /// Without a list of its own, a beginning costs what the words are common: see docs/catalog.md.
  @Test func beginningsOfEveryLengthHaveListsOfTheirOwn() async throws {
    for table in ["take_words", "trash_words", "song_words", "person_words"] {
      let sql = try await catalog.read {
        try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [table])
      }
      let lengths = (1...SearchWords.maximumLength).map(String.init).joined(separator: " ")
      #expect(sql?.contains("prefix = '\(lengths)'") == true, "\(table)")
    }
  }

  @Test func aWordIsFoundByEveryBeginning() async throws {
    var take = try Example.finished()
    // Two, three and four bytes a letter; longer than any word that is told from others.
    let words = ["Watermelon", "Приветствие", "東京特許許可局", "🎸🥁🎹🎺", "a" + String(repeating: "bc", count: 30)]
    take.annotations.title = words.joined(separator: " ")
    try await catalog.store(take, tracks: [], cues: [])
    for word in words {
      for length in 1...word.count {
        let found = try await catalog.takes(TakeQuery(text: String(word.prefix(length)))).items.map(\.id)
        #expect(found == [take.id], "\(word.prefix(length))")
      }
      #expect(try await catalog.takes(TakeQuery(text: "x\(word)")).items.isEmpty)
    }
    #expect(try await catalog.takes(TakeQuery(text: "watermelons")).items.isEmpty)
  }

  /// Takes come, change and go between the pages: those that stay are each there once, in order.
  @Test(arguments: [TakeQuery.Sort.newest, .oldest])
  func pagesNeitherLoseNorRepeatWhileTakesAreAdded(sort: TakeQuery.Sort) async throws {
    var generator = SeededRandom(4)
    func add(at second: Int64) async throws -> TakeID {
      var take = try Example.finished(at: second)
      take.annotations.title = "Watermelon man"
      try await catalog.store(take, tracks: [], cues: [])
      return take.id
    }
    var expected: [TakeID] = []
    // Three in a millisecond.
    for index in 0..<60 as Range<Int64> { expected.append(try await add(at: index / 3)) }
    if sort == .newest { expected.reverse() }
    var seen: [TakeID] = []
    var query = TakeQuery(text: "watermelo", sort: sort, limit: 7)
    repeat {
      let page = try await catalog.takes(query)
      seen += page.items.map(\.id)
      query.cursor = page.next
      for _ in 0..<3 { _ = try await add(at: Int64.random(in: -5...25, using: &generator)) }
      // One that was shown is edited, which keeps its place.
      if var take = page.items.randomElement(using: &generator) {
        take.annotations.notes = "again"
        try await catalog.store(take, tracks: [], cues: [])
      }
    } while query.cursor != nil
    let known = Set(expected)
    #expect(seen.filter(known.contains) == expected)
    #expect(Set(seen).count == seen.count)
  }
}
