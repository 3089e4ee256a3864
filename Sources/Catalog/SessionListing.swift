import GRDB
import Music

/// The query behind a list of sessions: by start time, newest first.
struct SessionListing {
  let query: SessionQuery
  private let cursor: ListCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: SessionQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.query = query
    cursor = try ListCursor.read(query.cursor, of: .sessions)
  }

  /// The cursor, or the end of the time range if that is further on.
  var bound: ListCursor {
    guard let before = query.startedBefore else { return cursor }
    let limit = ListCursor(.sessions, number: before.milliseconds)
    return (limit.number, limit.id) < (cursor.number, cursor.id) ? limit : cursor
  }

  func statement() -> TakeListing.Statement {
    let bound = bound
    var conditions = ["(sessions.started_at, sessions.id) < (?, ?)"]
    var values: [any DatabaseValueConvertible] = [bound.number, SessionID(bound.id)]
    if let room = query.room {
      conditions.append("sessions.room = (SELECT key FROM rooms WHERE name = ?)")
      values.append(RoomRecord.key(room))
    }
    if let text = query.roomText.map(SearchWords.name), !text.isEmpty {
      // The plus keeps SQLite from an index by room, whose sessions it would have to sort.
      conditions.append("+sessions.room IN (SELECT key FROM rooms WHERE instr(jamjar_names(name), ?) > 0)")
      values.append(text)
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
    let sessions = try Row.fetchAll(
      database.cachedStatement(sql: statement.sql), arguments: statement.arguments
    ).map { row in
      Session(
        id: try row.decode(atIndex: 0), room: try row.roomName(at: 1), startedAt: try row.decode(atIndex: 2),
        endedAt: try row.decode(atIndex: 3))
    }
    return page(sessions)
  }

  /// - Parameter sessions: up to one more than the page has.
  func page(_ sessions: [Session]) -> Page<Session> {
    guard sessions.count > query.limit else { return Page(items: sessions, next: nil) }
    let sessions = Array(sessions.prefix(query.limit))
    let next = sessions.last.map { ListCursor(.sessions, number: $0.startedAt.milliseconds, id: $0.id.ulid).text }
    return Page(items: sessions, next: next)
  }
}
