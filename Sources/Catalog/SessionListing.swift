import GRDB
import Music

/// The statement behind a list of sessions: along their beginnings, the newest first.
struct SessionListing {
  private let query: SessionQuery
  private let cursor: ListCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: SessionQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.query = query
    cursor = try ListCursor.read(query.cursor, of: .sessions)
  }

  func statement() -> TakeListing.Statement {
    var bound = cursor
    if let before = query.startedBefore {
      let limit = ListCursor(.sessions, number: before.milliseconds)
      if (limit.number, limit.id) < (bound.number, bound.id) { bound = limit }
    }
    var conditions = ["(sessions.started_at, sessions.id) < (?, ?)"]
    var values: [any DatabaseValueConvertible] = [bound.number, SessionID(bound.id)]
    if let room = query.room {
      conditions.append("sessions.room = (SELECT key FROM rooms WHERE name = ?)")
      values.append(RoomRecord.key(room))
    }
    if let after = query.startedAfter {
      conditions.append("sessions.started_at >= ?")
      values.append(after)
    }
    values.append(query.limit + 1)
    return TakeListing.Statement(
      sql: """
        SELECT sessions.id, rooms.name, sessions.started_at, sessions.ended_at
        FROM sessions CROSS JOIN rooms ON rooms.key = sessions.room
        WHERE \(conditions.joined(separator: " AND "))
        ORDER BY sessions.started_at DESC, sessions.id DESC
        LIMIT ?
        """, arguments: StatementArguments(values))
  }

  func fetch(_ database: Database) throws -> Page<Session> {
    let statement = statement()
    var sessions = try Row.fetchAll(
      database.cachedStatement(sql: statement.sql), arguments: statement.arguments
    ).map { row in
      Session(
        id: try row.decode(atIndex: 0), room: try row.roomName(at: 1), startedAt: try row.decode(atIndex: 2),
        endedAt: try row.decode(atIndex: 3))
    }
    guard sessions.count > query.limit else { return Page(items: sessions, next: nil) }
    sessions.removeLast(sessions.count - query.limit)
    let next = sessions.last.map { ListCursor(.sessions, number: $0.startedAt.milliseconds, id: $0.id.ulid).text }
    return Page(items: sessions, next: next)
  }
}
