import GRDB
import Music

/// The rows of `takes`.
enum TakeRecord {
  /// The rows that a take points to.
  struct References {
    var room: Int64
    var session: Int64
    var song: Int64?

    /// Finds them, and adds those that are missing.
    init(of take: Take, in database: Database) throws {
      (session, room) = try SessionRecord.findOrAdd(
        take.session, room: take.room, startedAt: take.startedAt, in: database)
      song = try take.song.map { try SongRecord.findOrAdd($0, in: database) }
    }
  }

  /// 1 + the highest number of the same room and song.
  static func nextNumber(for references: References, in database: Database) throws -> Int {
    let highest = try Int.fetchOne(
      database, sql: "SELECT max(number) FROM takes WHERE room = ? AND song IS ?",
      arguments: [references.room, references.song])
    // The table keeps numbers far below the highest Int.
    return (highest ?? 0) + 1
  }

  /// Adds the take or replaces what was known of it, keeping its key; answers with the key.
  static func store(_ take: Take, _ references: References, in database: Database) throws -> Int64 {
    try database.execute(
      sql: """
        INSERT INTO takes
          (id, number, state, room, session, song, started_at, ended_at, length, track_count, folder)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          number = excluded.number, state = excluded.state, room = excluded.room, session = excluded.session,
          song = excluded.song, started_at = excluded.started_at, ended_at = excluded.ended_at,
          length = excluded.length, track_count = excluded.track_count, folder = excluded.folder
        """,
      arguments: [
        take.id, take.number, take.state, references.room, references.session, references.song, take.startedAt,
        take.endedAt, take.length, take.trackCount, take.folder,
      ])
    guard let key = try Int64.fetchOne(database, sql: "SELECT key FROM takes WHERE id = ?", arguments: [take.id]) else {
      throw CatalogError.unknownTake(take.id)
    }
    return key
  }

  static func find(_ id: TakeID, in database: Database) throws -> Take? {
    try TakeReader.fetch(database, sql: "\(TakeReader.select)\nWHERE takes.id = ?", arguments: [id]).first
  }

  static func state(of id: TakeID, in database: Database) throws -> TakeState? {
    try Row.fetchOne(database, sql: "SELECT state FROM takes WHERE id = ?", arguments: [id])?
      .decode(TakeState.self, atIndex: 0)
  }

  static func setState(of id: TakeID, to state: TakeState, in database: Database) throws {
    try database.execute(sql: "UPDATE takes SET state = ? WHERE id = ?", arguments: [state, id])
  }

  static func delete(_ id: TakeID, in database: Database) throws {
    try database.execute(sql: "DELETE FROM takes WHERE id = ?", arguments: [id])
  }

  /// The takes that a process left in the middle, the oldest first.
  static func unfinished(in database: Database) throws -> [Take] {
    let states: [TakeState] = [.rolling, .captured, .rendering]
    return try TakeReader.fetch(
      database,
      sql: """
        \(TakeReader.select)
        WHERE takes.state IN (?, ?, ?)
        ORDER BY takes.started_at, takes.id
        """,
      arguments: StatementArguments(states))
  }
}
