import GRDB
import Music
import TestSupport
import Testing

@testable import Catalog

@Suite struct SearchTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() throws {
    shelf = try Shelf()
    catalog = try shelf.open()
  }

  private func found(_ text: String) async throws -> [TakeID] {
    try await catalog.takes(TakeQuery(text: text)).items.map(\.id)
  }

  @Test func accentsCaseWidthAndApostrophesDoNotMatter() async throws {
    var take = try Example.finished(song: Example.song("Ça n’a pas d'Œuvre"))
    take.annotations = TakeAnnotations(title: "Straße ＡＢＣ", notes: "Привет, 東京 🎸", tags: ["don't stop"])
    try await catalog.store(
      take, tracks: [Example.track(take, 1, try Example.participant("Łukasz"))],
      cues: [Cue(id: CueID(at: Example.noon), position: .zero, text: "Bridge!")])
    for text in ["ca", "CÁ", "doeuvre", "strasse", "abc", "прив", "東", "🎸", "dont", "lukasz guitar", "bridge"] {
      #expect(try await found(text) == [take.id], "\(text)")
    }
    for text in ["xyz", "abcd", "ca xyz", "!!!", "", "_f0", "ca AND", "\""] {
      #expect(try await found(text).isEmpty, "\(text)")
    }
  }

  @Test(arguments: [
    "\"", "'", "*", "^a", "a OR b", "NOT", "NEAR(a b)", "words : a", "{words} : x", "a*", "(", ")", "-", "+a",
    "a\u{0}b", "%",
    "; DROP TABLE takes", "\\", "\u{202E}", "é\u{301}\u{301}", String(repeating: "a ", count: 16),
    String(repeating: "x", count: 400),
  ])
  func noTextIsASyntaxError(text: String) async throws {
    try await catalog.store(try Example.finished(), tracks: [], cues: [])
    _ = try await catalog.takes(TakeQuery(text: text))
    _ = try await catalog.songs(BookQuery(condition: .term(.word(text))))
    _ = try await catalog.people(BookQuery(condition: .term(.word(text))))
  }

  @Test func randomTextIsNoSyntaxError() async throws {
    var generator = SeededRandom(9)
    for _ in 0..<300 {
      let scalars = (0..<12).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x1_FFFF, using: &generator)) }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      _ = try await catalog.takes(TakeQuery(text: String(text)))
    }
  }

  @Test func tooMuchTextIsRefusedWithWhatIsPermitted() async throws {
    await #expect(throws: CatalogError.value(ValueProblem("text", "401 characters", "at most 400 characters"))) {
      try await catalog.takes(TakeQuery(text: String(repeating: "x", count: 401)))
    }
    await #expect(throws: CatalogError.value(ValueProblem("text", "17 words", "at most 16 words"))) {
      try await catalog.takes(TakeQuery(text: String(repeating: "a ", count: 17)))
    }
  }

  @Test func pagesOfAFilterAreTheListCutInPieces() async throws {
    var expected: [TakeID] = []
    for index in 0..<45 {
      // Three in a millisecond.
      var take = try Example.finished(["Cellar", "Attic"][index % 2], at: Int64(index / 3))
      take.annotations.isFavourite = index % 3 != 0
      take.annotations.tags = index % 5 == 0 ? ["Keeper"] : []
      take.annotations.rating = index % 6 == 0 ? nil : index % 6
      try await catalog.store(take, tracks: [], cues: [])
      if take.annotations.isFavourite { expected.append(take.id) }
    }
    for sort in [TakeQuery.Sort.newest, .oldest] {
      var query = TakeQuery(isFavourite: true, sort: sort, limit: 7)
      var ids: [TakeID] = []
      repeat {
        let page = try await catalog.takes(query)
        ids += page.items.map(\.id)
        query.cursor = page.next
      } while query.cursor != nil
      #expect(ids == (sort == .oldest ? expected : expected.reversed()))
    }
    #expect(try await catalog.takes(TakeQuery(minimumRating: 4)).items.count == 14)
    #expect(try await catalog.takes(TakeQuery(tag: "KEEPER")).items.count == 9)
    #expect(try await catalog.takes(TakeQuery(room: Example.room("Attic"), tag: "keeper")).items.count == 4)
    #expect(try await catalog.takes(TakeQuery(tag: "unknown")).items.isEmpty)
    let ratings = try await catalog.takes(TakeQuery(sort: .bestRated)).items.map { $0.annotations.rating ?? 0 }
    #expect(ratings == ratings.sorted(by: >))
  }

  @Test func aRangeOfTimesIsHalfOpen() async throws {
    for second in 0..<10 as Range<Int64> {
      try await catalog.store(try Example.finished(at: second), tracks: [], cues: [])
    }
    for text in [nil, "x"] as [String?] {
      for sort in [TakeQuery.Sort.newest, .oldest] {
        let page = try await catalog.takes(
          TakeQuery(
            isFavourite: text == nil ? nil : false, startedAfter: Example.time(3), startedBefore: Example.time(6),
            sort: sort, limit: 50))
        let seconds = page.items.map { ($0.startedAt.milliseconds - Example.noon.milliseconds) / 1_000 }
        #expect(seconds == (sort == .oldest ? [3, 4, 5] : [5, 4, 3]))
      }
    }
  }

  @Test func orderByRatingIsRefusedWhereItWouldHaveToSort() async throws {
    await #expect(throws: CatalogError.unsupportedSort(.bestRated)) {
      try await catalog.takes(TakeQuery(isFavourite: true, sort: .bestRated))
    }
  }

  @Test func aCursorOfAnotherOrderIsRefused() async throws {
    for second in 0..<3 as Range<Int64> {
      try await catalog.store(try Example.finished(at: second), tracks: [], cues: [])
    }
    let next = try await catalog.takes(TakeQuery(limit: 1)).next
    await #expect(throws: CatalogError.self) {
      try await catalog.takes(TakeQuery(sort: .oldest, limit: 1, cursor: next))
    }
    await #expect(throws: CatalogError.self) {
      try await catalog.takes(TakeQuery(isFavourite: false, limit: 1, cursor: next))
    }
  }

  @Test func songsAndPeopleArePagedByTitleAndName() async throws {
    for title in ["b", "Ä", "a", "C", "c 2"] { try await catalog.store(Example.song(title)) }
    var query = BookQuery(limit: 2)
    var titles: [String] = []
    repeat {
      let page = try await catalog.songs(query)
      titles += page.items.map(\.title)
      query.cursor = page.next
    } while query.cursor != nil
    #expect(titles == ["a", "b", "C", "c 2", "Ä"])
    #expect(try await catalog.songs(BookQuery(condition: .term(.word("a")))).items.map(\.title).sorted() == ["a", "Ä"])
    await #expect(throws: CatalogError.self) { try await catalog.songs(BookQuery(cursor: "AAAA")) }
  }
}
