import Music
import Testing

@testable import Catalog

/// What only PostgreSQL can do to the index.
@Suite(.serialized) struct PostgreSQLCatalogTests {
  private func cluster() async throws -> PostgreSQLCluster { try await PostgreSQLCluster.shared.value }

  @Test func nodesThatStartTogetherMakeOneIndex() async throws {
    let address = try await cluster().database()
    let origins = try await withThrowingTaskGroup(of: CatalogOrigin.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let catalog = try await PostgreSQLCatalog.open(address)
          defer { try? catalog.close() }
          return catalog.origin
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(origins.filter { $0 == .created }.count == 1)
    #expect(origins.filter { $0 == .existing }.count == 3)
  }

  @Test func anIndexOfANewerJamjarIsRefusedAndLeftAlone() async throws {
    let cluster = try await cluster()
    let address = try await cluster.database()
    let catalog = try await PostgreSQLCatalog.open(address)
    try await catalog.markFilled()
    try await cluster.administer(address, "UPDATE jamjar.catalogue SET version = 99")
    let known = PostgreSQLSchema.version
    let expected = CatalogError.newerSchema(path: address.place, found: 99, known: known)
    await #expect(throws: expected) { _ = try await PostgreSQLCatalog.open(address) }
    await #expect(throws: expected) { _ = try await PostgreSQLCatalog.open(beside: address) }
    try await cluster.administer(address, "UPDATE jamjar.catalogue SET version = \(known)")
    #expect(try await PostgreSQLCatalog.open(beside: address).isFilled())
    try catalog.close()
  }

  @Test func theSchemaOfAnotherProgramIsRefused() async throws {
    let cluster = try await cluster()
    let address = try await cluster.database()
    await #expect(throws: CatalogError.self) { _ = try await PostgreSQLCatalog.open(beside: address) }
    try await cluster.administer(address, "CREATE SCHEMA jamjar; CREATE TABLE jamjar.jam (fruit text)")
    await #expect(throws: CatalogError.notACatalog(path: address.place)) {
      _ = try await PostgreSQLCatalog.open(address)
    }
  }

  @Test func connectionsThatTheServerEndsAreMadeAnew() async throws {
    let cluster = try await cluster()
    let address = try await cluster.database()
    let catalog = try await PostgreSQLCatalog.open(address)
    let take = try Example.finished()
    for round in 0..<3 {
      try await catalog.store(take, tracks: [], cues: [])
      for _ in 0..<8 { #expect(try await catalog.take(take.id) == take) }
      guard round < 2 else { break }
      try await cluster.administer(
        address,
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """)
    }
    try catalog.close()
  }

  @Test func aWriteThatWaitsTooLongForAnotherNodeSaysSo() async throws {
    let cluster = try await cluster()
    let address = try await cluster.database()
    let catalog = try await PostgreSQLCatalog.open(address)
    let other = PostgreSQLLane("test") { try PostgreSQLConnection(address) }
    try await other.run { try $0.open().run("BEGIN; SELECT pg_advisory_xact_lock(\(PostgreSQLSchema.writeLock))") }
    let error = await #expect(throws: CatalogError.self) { try await catalog.checkWritable() }
    #expect(error?.isLocked == true)
    #expect(error?.isIndexUnavailable == true)
    // Reading goes on meanwhile.
    #expect(try await catalog.rooms().isEmpty)
    try await other.run { try $0.open().run("ROLLBACK") }
    try await catalog.checkWritable()
    other.close()
    try catalog.close()
  }

  @Test func aTextThatCannotBeStoredIsRefused() async throws {
    let catalog = try await PostgreSQLCatalog.open(try await cluster().database())
    var take = try Example.finished()
    take.annotations.notes = "a\u{0}b"
    let error = await #expect(throws: CatalogError.self) { try await catalog.store(take, tracks: [], cues: []) }
    #expect(error?.code == "conflict")
    #expect(try await catalog.song(titled: "a\u{0}b") == nil)
    #expect(try await catalog.takes(TakeQuery(tag: "a\u{0}b")).items.isEmpty)
    try catalog.close()
  }

  @Test func aServerThatIsAwayIsNamedWithoutItsPassword() async throws {
    let address = try PostgreSQLAddress("postgresql://jam:secret@127.0.0.1:1/jamjar")
    let error = await #expect(throws: CatalogError.self) { _ = try await PostgreSQLCatalog.open(address) }
    #expect(error?.isIndexUnavailable == true)
    let text = error?.description ?? ""
    #expect(text.contains("127.0.0.1"))
    #expect(!text.contains("secret"))
    #expect(address.place == "postgresql://127.0.0.1:1/jamjar")
  }

  @Test(arguments: ["/var/lib/jamjar.sqlite", "mysql://a:secret@b/c", "postgresql://a:secret@b:x y/c%zz", ""])
  func whatIsNoAddressIsRefused(text: String) {
    let error = #expect(throws: CatalogError.self) { try PostgreSQLAddress(text) }
    #expect(error?.code == "invalid-value")
    #expect(error?.description.contains("secret") == false)
  }
}
