import Foundation
import GRDB
import Migrations
import Music
import Testing

@testable import Catalog

@Suite struct OpeningTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
  }

  @Test func aNewFileIsMadeAndFoundAgain() async throws {
    let first = try shelf.open()
    #expect(first.origin == .created)
    #expect(first.origin.needsRebuild)
    let take = try Example.finished()
    try await first.store(take, tracks: [], cues: [])
    try first.close()

    let second = try shelf.open()
    #expect(second.origin == .existing)
    #expect(!second.origin.needsRebuild)
    #expect(try await second.take(take.id) == take)
  }

  @Test func othersMayNotReadIt() throws {
    let catalog = try shelf.open()
    for name in try shelf.files {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(shelf.folder)/\(name)")
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o027 == 0, "\(name) has mode \(String(mode, radix: 8))")
    }
    try catalog.close()
  }

  @Test func anEmptyFileIsNew() throws {
    try shelf.write([])
    #expect(try shelf.open().origin == .created)
  }

  @Test func whatIsStoredIsOnDiskEvenIfTheProcessIsKilled() async throws {
    let catalog = try shelf.open()
    let take = try Example.finished()
    try await catalog.store(take, tracks: [], cues: [])
    // What a kill leaves: the file and its log, without the tidying of a close.
    let remains = try Shelf()
    for suffix in ["", "-wal"] {
      try Shelf.copy(shelf.path + suffix, to: remains.path + suffix)
    }
    let reopened = try remains.open()
    #expect(reopened.origin == .existing)
    #expect(try await reopened.take(take.id) == take)
  }

  @Test func theDatabaseIsSetForDurability() async throws {
    let catalog = try shelf.open()
    let settings = try await catalog.write { database in
      try ["journal_mode", "synchronous", "foreign_keys", "application_id", "user_version"]
        .map { try String.fetchOne(database, sql: "PRAGMA \($0)") }
    }
    #expect(settings == ["wal", "2", "1", "\(0x4A41_4D4A)", "\(Migration.all.count)"])
    // A reader is another connection.
    #expect(try await catalog.read { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
  }

  @Test func foreignKeysHold() async throws {
    let catalog = try shelf.open()
    let error = await #expect(throws: CatalogError.self) {
      try await catalog.write {
        try $0.execute(sql: "INSERT INTO sessions (id, room, started_at) VALUES (zeroblob(16), 99, 0)")
      }
    }
    #expect(error?.code == "conflict")
  }

  @Test(arguments: [Migration.all.count + 1, 999])
  func aNewerSchemaIsRefusedAndLeftUntouched(found: Int) async throws {
    let catalog = try shelf.open()
    try await catalog.write { try $0.execute(sql: "PRAGMA user_version = \(found)") }
    try catalog.close()
    let before = try shelf.bytes
    let error = #expect(throws: CatalogError.self) { try shelf.open() }
    #expect(error == .newerSchema(path: shelf.path, found: found, known: Migration.all.count))
    #expect(error?.description.contains("newer jamjar") == true)
    #expect(try shelf.bytes == before)
    #expect(try shelf.files == ["catalog.db"])
  }

  @Test func aDatabaseOfSomethingElseIsRefusedAndLeftUntouched() throws {
    let other = try DatabaseQueue(path: shelf.path)
    try other.write { try $0.execute(sql: "CREATE TABLE photos (name TEXT)") }
    try other.close()
    let before = try shelf.bytes
    #expect(throws: CatalogError.notACatalog(path: shelf.path)) { try shelf.open() }
    #expect(try shelf.bytes == before)
    #expect(try shelf.files == ["catalog.db"])
  }

  @Test func aFileWhoseMakingWasInterruptedIsFinished() async throws {
    let interrupted = try DatabaseQueue(path: shelf.path)
    // A migrator's first act is a table of its own.
    var migrator = DatabaseMigrator()
    migrator.registerMigration("0001_catalog") { _ in throw CancellationError() }
    #expect(throws: CancellationError.self) { try migrator.migrate(interrupted) }
    #expect(try await interrupted.read { try $0.tableExists("grdb_migrations") })
    try interrupted.close()
    let take = try Example.finished()
    let catalog = try shelf.open()
    try await catalog.store(take, tracks: [], cues: [])
    #expect(try await catalog.take(take.id) == take)
  }

  @Test func aFolderThatIsMissingIsNamed() throws {
    let error = #expect(throws: CatalogError.self) {
      try SQLiteCatalog.open(at: shelf.folder + "/none/catalog.db", now: Example.noon)
    }
    #expect(error?.code == "storage")
  }

  @Test func aClosedCatalogThrows() async throws {
    let catalog = try shelf.open()
    try catalog.close()
    await #expect(throws: CatalogError.self) { try await catalog.rooms() }
    await #expect(throws: CatalogError.self) { try await catalog.open(Example.session()) }
  }
}
