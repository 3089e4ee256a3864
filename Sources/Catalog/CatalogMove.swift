import GRDB
import Music

/// Carries an index over to another engine, row by row with the same keys: nothing is read from the files of the takes.
package struct CatalogMove: Sendable {
  /// How many rows each table had.
  package private(set) var counts: [(table: String, rows: Int)] = []

  /// Copies everything from the index at `source` into a fresh one, which then replaces the one at `target`.
  ///
  /// It is one transaction on either side. Nothing may write to either meanwhile.
  /// - Throws: `CatalogError`; `target` is as it was then.
  package init(from source: CatalogPlace, to target: CatalogPlace, now: WallTime) async throws {
    let old = try await source.openBeside(forReadingOnly: true)
    let fresh = try await FreshCatalog(for: target, now: now)
    switch (old, fresh.engine) {
    case (let old as SQLiteCatalog, let new as PostgreSQLCatalog):
      counts = try await new.write { connection in
        do { return try old.pool.read { try CatalogMove.copy($0, to: connection) } } catch {
          throw CatalogError.meaning(of: error)
        }
      }
    case (let old as PostgreSQLCatalog, let new as SQLiteCatalog):
      counts = try await old.read { connection in
        do { return try new.pool.write { try CatalogMove.copy(connection, to: $0) } } catch {
          throw CatalogError.meaning(of: error)
        }
      }
    default: throw CatalogError.conflict("an index moves from a file to PostgreSQL or back")
    }
    if try await old.isFilled() { try await fresh.engine.markFilled() }
    try old.close()
    try await fresh.replace()
  }

  private typealias Counts = [(table: String, rows: Int)]

  private static func copy(_ source: Database, to target: PostgreSQLConnection) throws -> Counts {
    try target.run("SET LOCAL statement_timeout = 0")
    let counts = try CatalogTable.all.map { table -> (table: String, rows: Int) in
      let rows = try Row.fetchCursor(source, sql: table.select)
      var count = 0
      while let row = try rows.next() {
        var values: [(any PostgreSQLValue)?] = []
        for (index, column) in table.columns.enumerated() {
          let cell: DatabaseValue = row[index]
          values.append(try column.value(cell))
        }
        try target.execute(table.insert { "$\($0)" }, values)
        count += 1
      }
      if table.hasKey {
        _ = try target.integer(
          """
          SELECT setval(pg_get_serial_sequence('\(table.name)', 'key'), max(key)) FROM \(table.name) HAVING max(key) > 0
          """)
      }
      return (table: table.name, rows: count)
    }
    let songs = try target.all("SELECT \(SongRecord.columns), songs.key FROM songs") { row in
      (key: try row[7] as Int64, song: try SongRecord.song(from: row, at: 0))
    }
    for (key, song) in songs { try PostgreSQLSongs.refreshWords(of: key, song, in: target) }
    for key in try target.integers("SELECT key FROM participants WHERE merged_into IS NULL") {
      try PostgreSQLPeople.refreshWords(of: key, in: target)
    }
    for key in try target.integers("SELECT key FROM takes") { try PostgreSQLSearch.refresh(take: key, in: target) }
    return counts
  }

  private static func copy(_ source: PostgreSQLConnection, to target: Database) throws -> Counts {
    try source.run("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
    let counts = try CatalogTable.all.map { table -> (table: String, rows: Int) in
      try source.run("DECLARE moving NO SCROLL CURSOR FOR \(table.select)")
      var count = 0
      while true {
        let rows = try source.all("FETCH 1000 FROM moving", isRecurring: false) { row -> [DatabaseValue] in
          var values: [DatabaseValue] = []
          for (index, column) in table.columns.enumerated() { values.append(try column.value(row, Int32(index))) }
          return values
        }
        guard !rows.isEmpty else { break }
        let insert = try target.cachedStatement(sql: table.insert { _ in "?" })
        for row in rows { try insert.execute(arguments: StatementArguments(row)) }
        count += rows.count
      }
      try source.run("CLOSE moving")
      return (table: table.name, rows: count)
    }
    for row in try Row.fetchAll(target, sql: "SELECT key, id FROM songs") {
      let key = try row.decode(Int64.self, atIndex: 0)
      guard let song = try SongRecord.find(try row.decode(SongID.self, atIndex: 1), in: target)?.song else { continue }
      try SearchRecord.store(SongRecord.words(of: song), at: key, in: .songs, of: target)
    }
    for key in try Int64.fetchAll(target, sql: "SELECT key FROM participants WHERE merged_into IS NULL") {
      try PersonRecord.refreshWords(of: key, in: target)
    }
    for key in try Int64.fetchAll(target, sql: "SELECT key FROM takes") {
      try SearchRecord.refresh(take: key, in: target)
    }
    return counts
  }
}
