import Music
import TestSupport
import Testing

@testable import Catalog

/// An index goes to PostgreSQL and comes back, and nobody who reads it sees a difference.
@Suite(.serialized) struct CatalogMoveTests {
  @Test func anIndexIsTheSameThereAndBack() async throws {
    let shelf = try Shelf()
    let first = try shelf.open()
    var generator = SeededRandom(3)
    let all = try await ConditionTests.catalogue(&generator, in: first)
    var person = try #require(try await first.people(BookQuery()).items.first)
    let other = try #require(try await first.people(BookQuery()).items.last)
    (person.merged, person.revision) = ([other.id], 2)
    try await first.store(person)
    var song = Example.song("Filed")
    song.composers = ["Evans"]
    try await first.store(song)
    try await first.markFilled()
    let before = try await Self.everything(in: first, all)
    try first.close()

    let address = try await PostgreSQLCluster.shared.value.database()
    let back = shelf.folder + "/back.db"
    let there = try await CatalogMove(from: .file(shelf.path), to: .postgreSQL(address), now: Example.noon)
    #expect(there.counts.first { $0.table == "takes" }?.rows == all.count)
    let second = try await PostgreSQLCatalog.open(address)
    #expect(second.origin == .existing)
    #expect(try await second.isFilled())
    let moved = try await Self.everything(in: second, all) == before
    #expect(moved)
    // New rows get keys of their own.
    let session = try Example.session("New")
    let take = try await second.create(Example.take(session), songTitle: "New") { "\($0.id)" }
    try await second.discard(take.id)
    try await second.close(session.id, at: Example.noon)
    try await second.discard(session.id) {}
    try second.close()

    let again = try await CatalogMove(from: .postgreSQL(address), to: .file(back), now: Example.noon)
    let rows = (there: there.counts.map(\.rows).reduce(0, +), again: again.counts.map(\.rows).reduce(0, +))
    #expect(rows.again >= rows.there)
    let third = try SQLiteCatalog.open(at: back, now: Example.noon)
    #expect(third.origin == .existing)
    #expect(try await third.isFilled())
    let returned = try await Self.everything(in: third, all) == before
    #expect(returned)
    try third.close()
  }

  @Test func aSourceThatIsNotThereLeavesTheTargetAlone() async throws {
    let shelf = try Shelf()
    let address = try await PostgreSQLCluster.shared.value.database()
    let catalog = try await PostgreSQLCatalog.open(address)
    let take = try Example.finished()
    try await catalog.store(take, tracks: [], cues: [])
    await #expect(throws: CatalogError.self) {
      _ = try await CatalogMove(from: .file(shelf.path), to: .postgreSQL(address), now: Example.noon)
    }
    #expect(try await catalog.take(take.id) == take)
    try catalog.close()
  }

  @Test func anIndexThatAServiceUsesIsNotReplaced() async throws {
    let shelf = try Shelf()
    try shelf.open().close()
    let address = try await PostgreSQLCluster.shared.value.database()
    let service = try await PostgreSQLCatalog.open(address, isAlone: true)
    let take = try Example.finished()
    try await service.store(take, tracks: [], cues: [])
    await #expect(throws: CatalogError.self) {
      _ = try await CatalogMove(from: .file(shelf.path), to: .postgreSQL(address), now: Example.noon)
    }
    await #expect(throws: CatalogError.self) { _ = try await PostgreSQLCatalog.open(address, isAlone: true) }
    #expect(try await service.take(take.id) == take)
    try service.close()
  }

  /// What lists, pages and searches say, as text.
  private static func everything(
    in catalog: any CatalogEngine, _ all: [ConditionTests.Kept]
  ) async throws -> [String] {
    var lines: [String] = []
    for query in [
      TakeQuery(limit: 200), TakeQuery(shelf: .deleted, limit: 200), TakeQuery(text: "gre", limit: 200),
      TakeQuery(tag: "keeper", limit: 200), TakeQuery(isFavourite: true, sort: .oldest, limit: 200),
      TakeQuery(condition: .term(.phrase("blue in green")), limit: 200),
      TakeQuery(condition: .term(.named(.participant, NamePattern("ada"))), limit: 200),
    ] {
      let page = try await catalog.takeText(query)
      lines.append(String(decoding: page.items, as: UTF8.self))
    }
    for kept in all.prefix(20) {
      lines.append("\(try await catalog.tracks(of: kept.take.id))")
      lines.append("\(try await catalog.cues(of: kept.take.id))")
    }
    for condition in [nil, BookCondition.term(.word("b"))] {
      lines.append("\(try await catalog.songs(BookQuery(condition: condition, limit: 200)).items)")
      lines.append("\(try await catalog.people(BookQuery(condition: condition, limit: 200)).items)")
    }
    lines.append("\(try await catalog.sessions(SessionQuery(limit: 200)).items)")
    return lines + (try await catalog.rooms()).map(\.description)
  }
}
