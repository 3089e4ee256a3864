import GRDB
import Music

/// The query behind a list of songs or people: by title or name, or those of a condition, newest first.
struct BookListing {
  let book: BookKind
  let query: BookQuery
  let found: ListCursor
  let sorted: TextCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ book: BookKind, _ query: BookQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.book = book
    self.query = query
    let isSorted = query.condition == nil
    found = try ListCursor.read(isSorted ? nil : query.cursor, of: book == .songs ? .foundSongs : .foundPeople)
    sorted = try TextCursor.read(isSorted ? query.cursor : nil, of: book == .songs ? .songs : .people)
  }

  /// The columns of an item, with its key and what it is sorted by.
  var columns: String {
    book == .songs ? "\(SongRecord.columns), songs.folded_title, songs.key" : PersonRecord.columns
  }

  /// Nil if nothing can match.
  /// - Throws: `CatalogError.value` for a text of too many words.
  func statement() throws -> TakeListing.Statement? {
    guard let condition = query.condition else { return sortedStatement }
    let plan = try BookPlanner(book: book, room: query.room).plan(condition)
    guard let parts = plan.parts(in: book.words) else { return nil }
    let (words, number) = (book.words.rawValue, "\(book.table).key")
    var conditions: [String] = []
    var values: [any DatabaseValueConvertible] = []
    var source = book.table
    var place = number
    if !parts.words.isEmpty {
      source = "\(words) CROSS JOIN \(book.table) ON \(number) = \(words).rowid"
      place = "\(words).rowid"
      conditions.append("\(words) MATCH ?")
      values.append(parts.words.joined(separator: " AND "))
    }
    conditions.append("\(place) < ?")
    values.append(found.number)
    // The plus keeps SQLite from an index by name, which it would have to sort.
    if book == .people { conditions.append("+participants.merged_into IS NULL") }
    if let known = songsOfRoom {
      conditions.append(known.sql)
      values.append(known.room)
    }
    if let rows = parts.rows {
      conditions.append(rows.sql)
      values += rows.values
    }
    return TakeListing.Statement(
      sql: """
        SELECT \(columns) FROM \(source)
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(place) DESC LIMIT ?
        """, arguments: StatementArguments(values + [query.limit + 1]), isRecurring: parts.rows == nil)
  }

  /// Of a room, the songs that takes of it have: a token for one room tells nothing of the songs of others.
  var songsOfRoom: (sql: String, room: String)? {
    guard book == .songs, let room = query.room else { return nil }
    let sql = """
      EXISTS (
        SELECT 1 FROM takes
        WHERE takes.song = songs.key AND takes.deleted_at IS NULL
          AND takes.room = (SELECT key FROM rooms WHERE name = ?))
      """
    return (sql, RoomRecord.key(room))
  }

  private var sortedStatement: TakeListing.Statement {
    switch book {
    case .songs:
      let known = songsOfRoom
      var arguments: [any DatabaseValueConvertible] = [sorted.text, SongID(sorted.id)]
      if let known { arguments.append(known.room) }
      return TakeListing.Statement(
        sql: """
          SELECT \(columns) FROM songs
          WHERE (folded_title, id) > (?, ?)\(known.map { " AND " + $0.sql } ?? "") ORDER BY folded_title, id LIMIT ?
          """, arguments: StatementArguments(arguments + [query.limit + 1]))
    case .people:
      return TakeListing.Statement(
        sql: """
          SELECT \(columns) FROM participants
          WHERE merged_into IS NULL AND (folded_name, id) > (?, ?) ORDER BY folded_name, id LIMIT ?
          """, arguments: [sorted.text, ParticipantID(sorted.id), query.limit + 1])
    }
  }

  func songs(_ database: Database) throws -> Page<Song> {
    guard let statement = try statement() else { return Page(items: [], next: nil) }
    let rows = try PlainRow.all(
      database, sql: statement.sql, arguments: statement.arguments, isRecurring: statement.isRecurring
    ) { row in
      (item: try SongRecord.song(from: row, at: 0), key: try row[8] as Int64, folded: row.text(7) ?? "")
    }
    return page(of: rows)
  }

  func page(of songs: [(item: Song, key: Int64, folded: String)]) -> Page<Song> {
    page(songs) { TextCursor(.songs, text: $0, id: $1.id.ulid) }
  }

  func people(_ database: Database) throws -> Page<Person> {
    guard let statement = try statement() else { return Page(items: [], next: nil) }
    let rows = try PersonRecord.fetch(
      database, sql: statement.sql, arguments: statement.arguments, isRecurring: statement.isRecurring)
    return page(of: rows)
  }

  func page(of people: [(item: Person, key: Int64, folded: String)]) -> Page<Person> {
    page(people) { TextCursor(.people, text: $0, id: $1.id.ulid) }
  }

  /// - Parameter rows: up to one more than the page has.
  private func page<Item>(
    _ rows: [(item: Item, key: Int64, folded: String)], _ cursor: (String, Item) -> TextCursor
  ) -> Page<Item> {
    let kept = rows.prefix(query.limit)
    guard rows.count > query.limit, let last = kept.last else { return Page(items: kept.map(\.item), next: nil) }
    let next =
      query.condition == nil ? cursor(last.folded, last.item).encoded : ListCursor(found.kind, number: last.key).text
    return Page(items: kept.map(\.item), next: next)
  }
}
