import GRDB
import Migrations
import Music
import Testing

@testable import Catalog

/// An index that the first release made, with its schema and its rows.
@Suite struct UpgradeTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
  }

  /// Takes of the first release: three in one millisecond, one of them without a song.
  private static let rows = """
    INSERT INTO rooms VALUES (1, 'Cellar'), (2, 'Attic');
    INSERT INTO sessions VALUES (1, x'\(id(1))', 1, 1000, 900000), (2, x'\(id(2))', 2, 5000, NULL);
    INSERT INTO songs VALUES (1, x'\(id(3))', 'Café Blue', 'café blue');
    INSERT INTO participants VALUES (1, x'\(id(4))', 'Ada L.'), (2, x'\(id(5))', 'Bo');
    INSERT INTO takes VALUES
      (1, x'\(id(11))', 1, 'ready', 1, 1, 1, 1000, 21000, 960000, 2, 'Cellar/1'),
      (2, x'\(id(12))', 2, 'incomplete', 1, 1, 1, 1000, NULL, NULL, 0, 'Cellar/2'),
      (3, x'\(id(13))', 1, 'failed', 1, 1, NULL, 1000, NULL, NULL, 0, 'Cellar/3'),
      (4, x'\(id(14))', 1, 'rolling', 2, 2, 1, 5000, NULL, NULL, 0, 'Attic/1');
    INSERT INTO tracks VALUES
      (1, x'\(id(21))', 1, 1, 1, 'Ada', 'guitar', 2, 960000, '01-ada.flac', -3.5, -18.25, 'sender reports', 80.5,
       0.25, 0.5, 2000, 7, 2, 1920),
      (2, x'\(id(22))', 1, 2, 2, 'Bo', NULL, 1, 960000, '02-bo.flac', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL, NULL);
    INSERT INTO gaps VALUES (1, 0, 4800, 960, 'loss', 1);
    INSERT INTO cues VALUES (1, x'\(id(31))', 1, 48000, 'the bridge', x'\(id(4))');
    """

  private static func ulid(_ number: UInt64) -> ULID { ULID(high: 0, low: number) }
  private static func id(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// What a service of the first release leaves: its first migration, as its program ran it.
  private func makeFirstVersion() throws {
    let pool = try DatabasePool(path: shelf.path)
    var migrator = DatabaseMigrator()
    let first = try #require(Migration.all.first)
    migrator.registerMigration(first.name) { database in
      try database.execute(sql: first.sql)
      try database.execute(sql: "PRAGMA user_version = 1")
    }
    try migrator.migrate(pool)
    try pool.write { try $0.execute(sql: UpgradeTests.rows) }
    try pool.close()
  }

  @Test func anIndexOfTheFirstVersionIsBroughtUpToDateWithAllThatItHas() async throws {
    try makeFirstVersion()
    let catalog = try shelf.open()
    #expect(catalog.origin == .upgraded(from: 1))
    #expect(try await catalog.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == Migration.all.count)
    #expect(try await !catalog.isFilled())

    let takes = try await catalog.takes(TakeQuery(sort: .oldest)).items
    #expect(takes.map(\.id) == [11, 12, 13, 14].map { TakeID(UpgradeTests.ulid($0)) })
    #expect(takes.map(\.state) == [.ready, .incomplete, .failed, .rolling])
    #expect(takes.map(\.number) == [1, 2, 1, 1])
    #expect(takes.map(\.folder) == ["Cellar/1", "Cellar/2", "Cellar/3", "Attic/1"])
    #expect(takes.map { $0.song?.title } == ["Café Blue", "Café Blue", nil, "Café Blue"])
    #expect(takes.first?.length == SamplePosition(960_000))
    #expect(takes.first?.endedAt == WallTime(milliseconds: 21_000))
    #expect(takes.allSatisfy { $0.annotations == TakeAnnotations() && $0.revision == 1 && $0.deletedAt == nil })

    let first = try #require(takes.first?.id)
    let tracks = try await catalog.tracks(of: first)
    #expect(tracks.map(\.participant.name.description) == ["Ada", "Bo"])
    #expect(tracks.map(\.part) == ["guitar", nil])
    #expect(tracks.first?.gaps.count == 1)
    #expect(tracks.first?.loudness == -18.25)
    #expect(tracks.first?.alignment?.recoveredPackets == 7)
    #expect(try await catalog.cues(of: first).map(\.text) == ["the bridge"])
    #expect(try await catalog.rooms().map(\.description) == ["Attic", "Cellar"])
    #expect(try await catalog.sessions(SessionQuery()).items.count == 2)
    #expect(try await catalog.people(BookQuery()).items.map(\.name.description) == ["Ada L.", "Bo"])
    #expect(try await catalog.unfinishedTakes().map(\.folder) == ["Attic/1"])
  }

  @Test func whatTheFirstVersionKnewIsFoundByItsWordsAfterwards() async throws {
    try makeFirstVersion()
    let catalog = try shelf.open()
    func numbers(_ query: TakeQuery) async throws -> [String] { try await catalog.takes(query).items.map(\.folder) }
    #expect(try await numbers(TakeQuery(text: "cafe", sort: .oldest)) == ["Cellar/1", "Cellar/2", "Attic/1"])
    #expect(try await numbers(TakeQuery(text: "ada bridge")) == ["Cellar/1"])
    let bo = ParticipantID(UpgradeTests.ulid(5))
    #expect(try await numbers(TakeQuery(participant: bo)) == ["Cellar/1"])
    #expect(try await numbers(TakeQuery(room: Example.room("Attic"), isFavourite: false)) == ["Attic/1"])
    #expect(try await catalog.songs(BookQuery(condition: .term(.word("blu")))).items.map(\.title) == ["Café Blue"])
    #expect(try await catalog.people(BookQuery(condition: .term(.word("ada")))).items.count == 1)
    // And it can be written to.
    var take = try #require(try await catalog.takes(TakeQuery(sort: .oldest)).items.last)
    take.state = .ready
    try await catalog.store(take, tracks: [], cues: [])
    try await catalog.markFilled()
    try catalog.close()
    let again = try shelf.open()
    #expect(again.origin == .existing)
    #expect(try await again.isFilled())
    #expect(try await again.take(take.id)?.state == .ready)
  }

  /// A command beside a service does not migrate what the service has to.
  @Test func anOlderIndexIsNotTouchedByACommand() throws {
    try makeFirstVersion()
    let error = #expect(throws: CatalogError.self) {
      try SQLiteCatalog.open(beside: shelf.path, forReadingOnly: false)
    }
    #expect(error?.description.contains("starting the service") == true)
    #expect(try shelf.open().origin == .upgraded(from: 1))
  }

  @Test func aFillingThatWasInterruptedIsKnownAtTheNextOpening() async throws {
    let catalog = try shelf.open()
    try await catalog.store(try Example.finished(), tracks: [], cues: [])
    try catalog.close()
    let again = try shelf.open()
    #expect(again.origin == .existing)
    #expect(try await !again.isFilled())
    try await again.markFilled()
    try again.close()
    #expect(try await shelf.open().isFilled())
  }
}
