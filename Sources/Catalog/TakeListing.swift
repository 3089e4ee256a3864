import GRDB
import Music

/// The statement behind a list of takes: always one walk along one index, from the cursor to older takes.
struct TakeListing {
  /// How many items a page may have.
  static let limits = 1...200

  let sql: String
  let arguments: StatementArguments
  private let limit: Int

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: TakeQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    limit = query.limit
    // The first page has a bound too: one shape of statement, and one plan, for all pages.
    let cursor = if let text = query.cursor { try TakeCursor(text) } else { TakeCursor.beginning }

    var conditions: [String] = []
    var values: [any DatabaseValueConvertible] = []
    if let room = query.room {
      conditions.append("takes.room = (SELECT key FROM rooms WHERE name = ?)")
      values.append(RoomRecord.key(room))
    }
    if let song = query.song {
      conditions.append("takes.song = (SELECT key FROM songs WHERE id = ?)")
      values.append(song)
    }
    if let state = query.state {
      conditions.append("takes.state = ?")
      values.append(state)
    }
    conditions.append("(takes.started_at, takes.id) < (?, ?)")
    values += [cursor.startedAt, cursor.id] as [any DatabaseValueConvertible]
    // One more than asked for, to know whether there is a next page.
    values.append(query.limit + 1)

    sql = """
      \(TakeReader.select)
      WHERE \(conditions.joined(separator: " AND "))
      ORDER BY takes.started_at DESC, takes.id DESC
      LIMIT ?
      """
    arguments = StatementArguments(values)
  }

  func fetch(_ database: Database) throws -> Page<Take> {
    var takes = try TakeReader.fetch(database, sql: sql, arguments: arguments)
    guard takes.count > limit else { return Page(items: takes, next: nil) }
    takes.removeLast(takes.count - limit)
    return Page(items: takes, next: takes.last.map { TakeCursor(after: $0).text })
  }
}
