import GRDB
import Music

/// The query behind a list of songs: by title, or through the full-text index.
struct SongListing {
  private let query: SongQuery
  private let found: ListCursor
  private let titled: TextCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: SongQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.query = query
    found = try ListCursor.read(query.text == nil ? nil : query.cursor, of: .foundSongs)
    titled = try TextCursor.read(query.text == nil ? query.cursor : nil, of: .songs)
  }

  func statement() throws -> TakeListing.Statement? {
    guard let text = query.text else {
      return TakeListing.Statement(
        sql: """
          SELECT \(SongRecord.columns), songs.folded_title, songs.key FROM songs
          WHERE (folded_title, id) > (?, ?) ORDER BY folded_title, id LIMIT ?
          """, arguments: [titled.text, SongID(titled.id), query.limit + 1])
    }
    var match = MatchExpression()
    guard try match.add(text: text) else { return nil }
    return TakeListing.Statement(
      sql: """
        SELECT \(SongRecord.columns), songs.folded_title, songs.key
        FROM song_words CROSS JOIN songs ON songs.key = song_words.rowid
        WHERE song_words MATCH ? AND song_words.rowid < ? ORDER BY song_words.rowid DESC LIMIT ?
        """, arguments: [match.text, found.number, query.limit + 1])
  }

  func fetch(_ database: Database) throws -> Page<Song> {
    guard let statement = try statement() else { return Page(items: [], next: nil) }
    let rows = try Row.fetchAll(database.cachedStatement(sql: statement.sql), arguments: statement.arguments)
    let songs = try rows.prefix(query.limit).map { try SongRecord.song(from: $0, at: 0) }
    guard rows.count > query.limit, let last = songs.last else { return Page(items: songs, next: nil) }
    let row = rows[query.limit - 1]
    let next =
      query.text == nil
      ? TextCursor(.songs, text: try row.decode(atIndex: 7), id: last.id.ulid).encoded
      : ListCursor(.foundSongs, number: try row.decode(atIndex: 8)).text
    return Page(items: songs, next: next)
  }
}

/// The query behind a list of sessions: by start time, newest first.
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

/// The query behind a list of people: by name, or through the full-text index.
struct PersonListing {
  private let query: PersonQuery
  private let found: ListCursor
  private let named: TextCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: PersonQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.query = query
    found = try ListCursor.read(query.text == nil ? nil : query.cursor, of: .foundPeople)
    named = try TextCursor.read(query.text == nil ? query.cursor : nil, of: .people)
  }

  func statement() throws -> TakeListing.Statement? {
    guard let text = query.text else {
      return TakeListing.Statement(
        sql: """
          SELECT \(PersonRecord.columns) FROM participants
          WHERE merged_into IS NULL AND (folded_name, id) > (?, ?) ORDER BY folded_name, id LIMIT ?
          """, arguments: [named.text, ParticipantID(named.id), query.limit + 1])
    }
    var match = MatchExpression()
    guard try match.add(text: text) else { return nil }
    return TakeListing.Statement(
      sql: """
        SELECT \(PersonRecord.columns)
        FROM person_words CROSS JOIN participants ON participants.key = person_words.rowid
        WHERE person_words MATCH ? AND person_words.rowid < ? ORDER BY person_words.rowid DESC LIMIT ?
        """, arguments: [match.text, found.number, query.limit + 1])
  }

  func fetch(_ database: Database) throws -> Page<Person> {
    guard let statement = try statement() else { return Page(items: [], next: nil) }
    let rows = try PersonRecord.fetch(database, sql: statement.sql, arguments: statement.arguments)
    let people = rows.prefix(query.limit)
    guard rows.count > query.limit, let last = people.last else {
      return Page(items: people.map(\.person), next: nil)
    }
    let next =
      query.text == nil
      ? TextCursor(.people, text: last.foldedName, id: last.person.id.ulid).encoded
      : ListCursor(.foundPeople, number: last.key).text
    return Page(items: people.map(\.person), next: next)
  }
}
