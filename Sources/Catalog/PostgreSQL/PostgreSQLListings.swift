import Machines
import Music

extension TakeListing {
  func fetch(_ database: PostgreSQLConnection) throws -> Page<Take> {
    var reader = TakeReader()
    let (takes, next) = try rows(database, TakeReader.columns) { try reader.take(from: $0) }
    return Page(items: takes, next: next)
  }

  /// The same page as text, written straight from the rows.
  func text(_ database: PostgreSQLConnection) throws -> PageText {
    let writer = TakeText()
    var json = JSONWriter(capacity: (query.limit + 1) * 512)
    var isFirst = true
    json.literal("[")
    let (_, next) = try rows(database, TakeText.columns) { row in
      if !isFirst { json.literal(",") }
      isFirst = false
      try writer.write(row, to: &json)
    }
    json.literal("]")
    return PageText(items: json.bytes, next: next)
  }

  private func rows<Value>(
    _ database: PostgreSQLConnection, _ columns: String, _ body: (PostgreSQLRow) throws -> Value
  ) throws -> ([Value], String?) {
    guard let clause = try clause(in: database) else { return ([], nil) }
    let sql = "\(columns)\nFROM takes\n\(PostgreSQLTakes.joins)\n\(clause.numbered)"
    var cut = Cut()
    let values = try database.all(sql, clause.values, isRecurring: query.condition == nil) {
      try keep($0, of: &cut, body)
    }
    return (values.compactMap(\.self), next(after: cut))
  }

  /// What follows the tables; nil if a filter value is unknown to the index, so that nothing can match.
  private func clause(in database: PostgreSQLConnection) throws -> PostgreSQLClause? {
    guard var parts = try filters(in: database) else { return nil }
    parts.append(PostgreSQLClause(query.shelf == .kept ? "takes.deleted_at IS NULL" : "takes.deleted_at IS NOT NULL"))
    let order: String
    switch kind {
    case .newestFoundTakes, .oldestFoundTakes:
      guard let places else { return nil }
      parts.append(PostgreSQLClause("takes.place BETWEEN ? AND ?", [places.lowerBound, places.upperBound]))
      order = "takes.place \(kind.isDescending ? "DESC" : "ASC")"
    default:
      let direction = kind.isDescending ? "DESC" : "ASC"
      parts.append(
        PostgreSQLClause(
          "(takes.\(column), takes.id) \(kind.isDescending ? "<" : ">") (?, ?)", [bound.number, TakeID(bound.id)]))
      if kind == .newestTakes, let after = query.startedAfter {
        parts.append(PostgreSQLClause("takes.started_at >= ?", [after]))
      } else if kind == .oldestTakes, let before = query.startedBefore {
        parts.append(PostgreSQLClause("takes.started_at < ?", [before]))
      }
      order = "takes.\(column) \(direction), takes.id \(direction)"
    }
    let all = PostgreSQLClause.every(parts)
    // One more than requested, which reveals whether there is a next page.
    return PostgreSQLClause("WHERE \(all.sql)\nORDER BY \(order)\nLIMIT ?", all.values + [query.limit + 1])
  }

  private func filters(in database: PostgreSQLConnection) throws -> [PostgreSQLClause]? {
    var parts: [PostgreSQLClause] = []
    if let room = query.room {
      guard let key = try PostgreSQLSessions.find(room, in: database) else { return nil }
      parts.append(PostgreSQLClause("takes.room = ?", [key]))
    }
    if let song = query.song {
      guard let key = try PostgreSQLSongs.find(song, in: database)?.key else { return nil }
      parts.append(PostgreSQLClause("takes.song = ?", [key]))
    }
    if let session = query.session {
      guard let key = try PostgreSQLSessions.key(of: session, in: database) else { return nil }
      parts.append(PostgreSQLClause("takes.session = ?", [key]))
    }
    if let participant = query.participant {
      guard let key = try PostgreSQLPeople.key(of: participant, in: database) else { return nil }
      parts.append(PostgreSQLWords.whole([SearchFacet.person(key)], in: "takes.words"))
    }
    if let tag = query.tag {
      guard let key = try PostgreSQLSearch.find(tag: tag, in: database) else { return nil }
      parts.append(PostgreSQLWords.whole([SearchFacet.tag(key)], in: "takes.words"))
    }
    if let state = query.state { parts.append(PostgreSQLClause("takes.state = ?", [state])) }
    if let rating = query.minimumRating { parts.append(PostgreSQLClause("takes.rating >= ?", [rating])) }
    if let isFavourite = query.isFavourite {
      parts.append(PostgreSQLClause("takes.is_favourite = ?", [isFavourite]))
    }
    if let text = query.text { parts.append(try PostgreSQLWords.beginnings(of: text, in: "takes.words")) }
    if let condition = query.condition {
      parts.append(try PostgreSQLTakeConditions(database: database).clause(condition))
    }
    return parts
  }
}

extension SessionListing {
  func fetch(_ database: PostgreSQLConnection) throws -> Page<Session> {
    let bound = bound
    var parts = [
      PostgreSQLClause("(sessions.started_at, sessions.id) < (?, ?)", [bound.number, SessionID(bound.id)])
    ]
    if let room = query.room {
      parts.append(
        PostgreSQLClause("sessions.room = (SELECT key FROM rooms WHERE name = ?)", [RoomRecord.key(room)]))
    }
    if let after = query.startedAfter { parts.append(PostgreSQLClause("sessions.started_at >= ?", [after])) }
    let all = PostgreSQLClause.every(parts)
    let clause = PostgreSQLClause(
      "WHERE \(all.sql) ORDER BY sessions.started_at DESC, sessions.id DESC LIMIT ?", all.values + [query.limit + 1])
    return page(try PostgreSQLSessions.fetch(clause.numbered, clause.values, in: database))
  }
}

extension BookListing {
  func songs(_ database: PostgreSQLConnection) throws -> Page<Song> {
    let clause = try clause()
    let rows = try database.all(
      "SELECT \(columns) FROM songs \(clause.numbered)", clause.values, isRecurring: query.condition == nil
    ) { row in
      (item: try SongRecord.song(from: row, at: 0), key: try row[8] as Int64, folded: row.text(7) ?? "")
    }
    return page(of: rows)
  }

  func people(_ database: PostgreSQLConnection) throws -> Page<Person> {
    let clause = try clause()
    return page(
      of: try PostgreSQLPeople.fetch(
        "SELECT \(columns) FROM participants \(clause.numbered)", clause.values, isRecurring: query.condition == nil,
        in: database))
  }

  /// What follows the table.
  private func clause() throws -> PostgreSQLClause {
    var parts: [PostgreSQLClause] = book == .people ? [PostgreSQLClause("participants.merged_into IS NULL")] : []
    if let known = songsOfRoom { parts.append(PostgreSQLClause(known.sql, [known.room])) }
    let order: String
    if let condition = query.condition {
      let key = "\(book.table).key"
      parts.append(PostgreSQLClause("\(key) < ?", [found.number]))
      parts.append(try PostgreSQLBookConditions(book: book, room: query.room).clause(condition))
      order = "\(key) DESC"
    } else {
      let column = book == .songs ? "folded_title" : "folded_name"
      // An index has the beginnings; few items share one of 400 characters.
      parts.append(
        PostgreSQLClause(
          "(left(\(column), 400), \(column), id) > (left(?, 400), ?, ?)", [sorted.text, sorted.text, sorted.id]))
      order = "left(\(column), 400), \(column), id"
    }
    let all = PostgreSQLClause.every(parts)
    return PostgreSQLClause("WHERE \(all.sql) ORDER BY \(order) LIMIT ?", all.values + [query.limit + 1])
  }
}
