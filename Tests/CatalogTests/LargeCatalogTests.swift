import GRDB
import Music
import Testing

@testable import Catalog

/// A catalogue of 200,000 takes in 50 rooms, three at a time in the same millisecond.
@Suite struct LargeCatalogTests {
  static let count = 200_000

  let shelf: Shelf
  let catalog: SQLiteCatalog

  init() async throws {
    shelf = try Shelf()
    catalog = try shelf.open()
    // Quick to make: the indexes after the rows, and no care for power cuts.
    try await catalog.pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
      let indexes = try Row.fetchAll(
        database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'takes_by_%'")
      for index in indexes { try database.execute(sql: "DROP INDEX \(index.decode(String.self, forColumn: "name"))") }
      try database.execute(
        sql: """
          BEGIN;
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
          INSERT INTO rooms (key, name) SELECT i, 'Room ' || i FROM n;
          INSERT INTO sessions (key, id, room, started_at)
            SELECT key, CAST(printf('%016d', key) AS BLOB), key, 0 FROM rooms;
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
          INSERT INTO songs (key, id, title, folded_title)
            SELECT i, CAST(printf('%016d', i) AS BLOB), 'Song ' || i, 'song ' || i FROM n;
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(LargeCatalogTests.count - 1))
          INSERT INTO takes (id, number, state, room, session, song, started_at, track_count, folder)
            SELECT CAST(printf('%016d', i) AS BLOB), i + 1, CASE WHEN i % 9973 = 5 THEN 'failed' ELSE 'ready' END,
              i % 50, i % 50, CASE i % 7 WHEN 0 THEN NULL ELSE i % 100 END, i / 3, 3, 'takes/' || i
            FROM n;
          COMMIT;
          """)
      for index in indexes { try database.execute(sql: index.decode(String.self, forColumn: "sql")) }
    }
  }

  /// The number that `init` gave to the take, which is its place from the oldest.
  private func walk(_ query: TakeQuery, pages: Int) async throws -> [Int] {
    var query = query
    var numbers: [Int] = []
    for _ in 0..<pages {
      let page = try await catalog.takes(query)
      numbers += page.items.map(\.number)
      guard let next = page.next else { break }
      query.cursor = next
    }
    return numbers
  }

  @Test func pagesAreRightAndWalkTheirIndexWithAndWithoutStatistics() async throws {
    let room = try Example.room("Room 7")
    let song = try #require(try await catalog.song(titled: "song 57"))
    // What the modulos of `init` leave, newest first.
    let all = stride(from: LargeCatalogTests.count - 1, through: 0, by: -1)
    let ofRoom = stride(from: LargeCatalogTests.count - 50 + 7, through: 0, by: -50)
    let ofSong = stride(from: LargeCatalogTests.count - 100 + 57, through: 0, by: -100).filter { $0 % 7 != 0 }
    let failed = stride(from: 5, to: LargeCatalogTests.count, by: 9973).reversed()
    for hasStatistics in [false, true] {
      if hasStatistics { try await catalog.write { try $0.execute(sql: "ANALYZE") } }
      for query in try QueryPlanTests.queries() { try await QueryPlanTests.expectWalk(query, in: catalog) }
      #expect(try await walk(TakeQuery(), pages: 3) == all.prefix(150).map { $0 + 1 })
      #expect(try await walk(TakeQuery(room: room), pages: 3) == ofRoom.prefix(150).map { $0 + 1 })
      #expect(try await walk(TakeQuery(room: room, song: song.id), pages: 3) == ofSong.prefix(150).map { $0 + 1 })
      #expect(try await walk(TakeQuery(state: .failed, limit: 7), pages: 99) == failed.map { $0 + 1 })
    }
    // The next number of a song in a room goes by an index too.
    let session = Session(id: SessionID(ULID(high: 0, low: 0)), room: room, startedAt: Example.noon)
    let take = try await catalog.create(Example.take(session), songTitle: "SONG 57") { _ in "new" }
    let highest = try #require(ofSong.first) + 1
    #expect(take.number == highest + 1)
  }
}
