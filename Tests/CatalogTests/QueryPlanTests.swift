import GRDB
import Music
import Testing

@testable import Catalog

@Suite struct QueryPlanTests {
  /// Every combination of filters, first page and later page.
  static func queries() throws -> [TakeQuery] {
    let room = try Example.room("Room 7")
    let cursor = ListCursor(.newestTakes, number: 1_000, id: TakeID(at: Example.noon).ulid).text
    var queries: [TakeQuery] = []
    for bits in 0..<16 {
      queries.append(
        TakeQuery(
          room: bits & 1 == 0 ? nil : room, song: bits & 2 == 0 ? nil : SongID(at: Example.noon),
          state: bits & 4 == 0 ? nil : .ready, cursor: bits & 8 == 0 ? nil : cursor))
    }
    return queries
  }

  static func index(for query: TakeQuery) -> String {
    let filters = [
      query.room == nil ? nil : "room", query.song == nil ? nil : "song", query.state == nil ? nil : "state",
    ].compactMap(\.self)
    return "takes_by_" + (filters.isEmpty ? "start" : filters.joined(separator: "_"))
  }

  static func plan(_ sql: String, _ arguments: StatementArguments, _ catalog: SQLiteCatalog) async throws -> [String] {
    try await catalog.read { database in
      try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
        .map { try $0.decode(String.self, forColumn: "detail") }
    }
  }

  /// Each list must walk the index of its filters, bounded by the cursor, and sort and scan nothing.
  static func expectWalk(_ query: TakeQuery, in catalog: SQLiteCatalog) async throws {
    let listing = try TakeListing(query)
    let statement = try #require(try await catalog.read { try listing.statement(in: $0) })
    let plan = try await plan(statement.sql, statement.arguments, catalog)
    #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    let walk = "SEARCH takes USING INDEX \(index(for: query)) ("
    #expect(plan.contains { $0.hasPrefix(walk) && $0.contains("(started_at,id)<(?,?)") }, "\(plan)")
    #expect(plan.first?.hasPrefix(walk) == true || plan.first?.contains("SCALAR") == true, "\(plan)")
  }

  @Test func listsWalkTheirIndexInAnEmptyDatabase() async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    for query in try QueryPlanTests.queries() { try await QueryPlanTests.expectWalk(query, in: catalog) }
  }

  @Test func singleRowsAreFoundByKey() async throws {
    let shelf = try Shelf()
    let catalog = try shelf.open()
    let statements = [
      "\(TakeReader.select) WHERE takes.id = x''",
      "SELECT max(number) FROM takes WHERE room = 1 AND song IS 2",
      "SELECT max(number) FROM takes WHERE room = 1 AND song IS NULL",
      "SELECT id, title FROM songs WHERE folded_title = '' ORDER BY id LIMIT 1",
      "SELECT * FROM takes CROSS JOIN tracks ON tracks.take = takes.key WHERE takes.id = x'' ORDER BY tracks.number",
      "SELECT * FROM takes CROSS JOIN cues ON cues.take = takes.key WHERE takes.id = x'' ORDER BY position, cues.id",
      "SELECT * FROM gaps WHERE track = 1 ORDER BY number",
      "DELETE FROM tracks WHERE take = 1",
      "DELETE FROM gaps WHERE track = 1",
      "DELETE FROM cues WHERE take = 1",
    ]
    for sql in statements {
      let plan = try await QueryPlanTests.plan(sql, StatementArguments(), catalog)
      #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(sql): \(plan)")
    }
  }
}
