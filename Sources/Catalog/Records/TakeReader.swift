import GRDB
import Music

/// Decodes takes from rows.
///
/// Rooms and songs repeat within a page, and checking a name costs more than the rest of the row, so each is decoded
/// once.
struct TakeReader {
  /// The columns in the order expected by `take(from:)`, and their tables. CROSS JOIN fixes the order of the loops in
  /// SQLite: takes along their index, the rest by key.
  static let select = """
    \(columns)
    FROM takes
    \(joins)
    """
  /// Without the tables, for lists that start from another one.
  static let columns = """
    SELECT takes.id, takes.number, takes.state, takes.room, rooms.name, sessions.id, takes.song,
      takes.started_at, takes.ended_at, takes.length, takes.track_count, takes.folder, takes.title, takes.rating,
      takes.is_favourite, takes.notes, takes.tags, takes.loudness, takes.deleted_at, takes.revision, takes.place,
      \(SongRecord.columns)
    """
  static let joins = """
    CROSS JOIN rooms ON rooms.key = takes.room
    CROSS JOIN sessions ON sessions.key = takes.session
    LEFT JOIN songs ON songs.key = takes.song
    """

  private var rooms: [Int64: RoomName] = [:]
  private var songs: [Int64: Song] = [:]

  static func fetch(_ database: Database, sql: String, arguments: StatementArguments) throws -> [Take] {
    var reader = TakeReader()
    return try PlainRow.all(database, sql: sql, arguments: arguments) { try reader.take(from: $0) }
  }

  mutating func take(from row: some ListRow) throws -> Take {
    let rating: Int = try row[13]
    return Take(
      id: try row.identifier(0), number: try row[1], state: try state(from: row), room: try room(from: row),
      session: try row.identifier(5), song: try song(from: row), startedAt: WallTime(milliseconds: try row[7]),
      endedAt: row.integer(8).map(WallTime.init(milliseconds:)), length: try row.position(9), trackCount: try row[10],
      folder: try row.text(11) ?? row.fail(11),
      annotations: TakeAnnotations(
        title: row.text(12), rating: rating == 0 ? nil : rating, isFavourite: try row[14] != 0, notes: row.text(15),
        tags: Lines.list(row.text(16))),
      loudness: row.number(17), deletedAt: row.integer(18).map(WallTime.init(milliseconds:)), revision: try row[19])
  }

  private func state(from row: some ListRow) throws -> TakeState {
    guard let state = row.text(2).flatMap(TakeState.init) else { return try row.fail(2) }
    return state
  }

  private mutating func room(from row: some ListRow) throws -> RoomName {
    let key: Int64 = try row[3]
    if let known = rooms[key] { return known }
    let name = try RoomName(checking: try row.text(4) ?? row.fail(4))
    rooms[key] = name
    return name
  }

  private mutating func song(from row: some ListRow) throws -> Song? {
    guard let key = row.integer(6) else { return nil }
    if let known = songs[key] { return known }
    let song = try SongRecord.song(from: row, at: 21)
    songs[key] = song
    return song
  }
}
