import Music
import TestSupport
import Testing

@testable import Catalog

@Suite struct ListTests {
  let shelf: Shelf
  let catalog: SQLiteCatalog
  /// Newest first, as a list must have them.
  let takes: [Take]
  let songs = [Example.song("Blue"), Example.song("Red")]

  init() async throws {
    shelf = try Shelf()
    catalog = try shelf.open()
    var takes: [Take] = []
    let states: [TakeState] = [.ready, .ready, .incomplete]
    for index in 0..<60 {
      takes.append(
        // Five takes each begin in the same millisecond: the identifier decides.
        try Example.finished(
          ["Cellar", "Attic"][index % 2], at: Int64(index / 5), number: index + 1, state: states[index % 3],
          song: index % 4 == 0 ? nil : songs[index % 5 % 2]))
    }
    var generator = SeededRandom(1)
    let shuffled = takes.shuffled(using: &generator)
    // In one transaction, as every test makes this list anew.
    try await catalog.write { database in
      for take in shuffled {
        _ = try TakeRecord.store(take, TakeRecord.References(of: take, in: database), in: database)
      }
    }
    self.takes = takes.sorted { ($0.startedAt, $0.id) > ($1.startedAt, $1.id) }
  }

  private func walk(_ query: TakeQuery) async throws -> [[Take]] {
    var query = query
    var pages: [[Take]] = []
    repeat {
      let page = try await catalog.takes(query)
      pages.append(page.items)
      query.cursor = page.next
      try #require(pages.count <= takes.count + 1, "the list does not end")
    } while query.cursor != nil
    return pages
  }

  @Test(arguments: [1, 7, 20, 59, 60, 61, 200]) func pagesAreTheListCutInPieces(limit: Int) async throws {
    let pages = try await walk(TakeQuery(limit: limit))
    #expect(pages.flatMap(\.self) == takes)
    #expect(pages.dropLast().allSatisfy { $0.count == limit })
    #expect(pages.count == (takes.count + limit - 1) / limit)
  }

  @Test func everyCombinationOfFiltersIsAnswered() async throws {
    let rooms = try [nil, "Cellar", "Attic", "Nowhere"].map { try $0.map(Example.room) }
    for room in rooms {
      for song in [nil, songs[0].id, songs[1].id, SongID(at: Example.noon)] {
        for state in [nil, .ready, .incomplete, .failed] as [TakeState?] {
          let expected = takes.filter {
            (room == nil || $0.room == room) && (song == nil || $0.song?.id == song)
              && (state == nil || $0.state == state)
          }
          let pages = try await walk(TakeQuery(room: room, song: song, state: state, limit: 7))
          #expect(pages.flatMap(\.self) == expected)
        }
      }
    }
  }

  @Test(arguments: [Int.min, -1, 0, 201, Int.max]) func aLimitOutOfRangeIsRefused(limit: Int) async throws {
    await #expect(throws: CatalogError.limitOutOfRange(limit)) {
      try await catalog.takes(TakeQuery(limit: limit))
    }
    #expect(
      CatalogError.limitOutOfRange(limit).description == "the limit \(limit) is out of range; it must be 1 to 200")
  }

  @Test func aForgedCursorIsRefused() async throws {
    await #expect(throws: CatalogError.invalidCursor("forged")) {
      try await catalog.takes(TakeQuery(cursor: "forged"))
    }
  }

  @Test func takesThatComeAndGoDoNotDisturbTheWalk() async throws {
    let first = try await catalog.takes(TakeQuery(limit: 10))
    try await catalog.store(try Example.finished(at: 1_000), tracks: [], cues: [])
    // The take on which the cursor stands, and the one after it.
    try await catalog.discard(takes[9].id)
    try await catalog.discard(takes[10].id)
    let second = try await catalog.takes(TakeQuery(limit: 10, cursor: first.next))
    #expect(second.items == Array(takes[11..<21]))
  }
}
