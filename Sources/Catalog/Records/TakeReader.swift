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
    try fetchPlaced(database, sql: sql, arguments: arguments).map(\.take)
  }

  /// Fetches takes with their places in the full-text index.
  static func fetchPlaced(
    _ database: Database, sql: String, arguments: StatementArguments
  ) throws -> [(take: Take, place: Int64)] {
    var reader = TakeReader()
    var takes: [(take: Take, place: Int64)] = []
    let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    while let row = try rows.next() {
      takes.append((try reader.take(from: row), try row.decode(Int64?.self, atIndex: 20) ?? 0))
    }
    return takes
  }

  private mutating func take(from row: Row) throws -> Take {
    let rating = try row.decode(Int.self, atIndex: 13)
    return Take(
      id: try row.decode(atIndex: 0), number: try row.decode(atIndex: 1), state: try row.decode(atIndex: 2),
      room: try room(from: row), session: try row.decode(atIndex: 5), song: try song(from: row),
      startedAt: try row.decode(atIndex: 7), endedAt: try row.decode(atIndex: 8), length: try row.decode(atIndex: 9),
      trackCount: try row.decode(atIndex: 10), folder: try row.decode(atIndex: 11),
      annotations: TakeAnnotations(
        title: try row.decode(atIndex: 12), rating: rating == 0 ? nil : rating,
        isFavourite: try row.decode(atIndex: 14), notes: try row.decode(atIndex: 15),
        tags: Lines.list(try row.decode(atIndex: 16))),
      loudness: try row.decode(atIndex: 17), deletedAt: try row.decode(atIndex: 18),
      revision: try row.decode(atIndex: 19))
  }

  private mutating func room(from row: Row) throws -> RoomName {
    let key = try row.decode(Int64.self, atIndex: 3)
    if let known = rooms[key] { return known }
    let name = try row.roomName(at: 4)
    rooms[key] = name
    return name
  }

  private mutating func song(from row: Row) throws -> Song? {
    guard let key = try row.decode(Int64?.self, atIndex: 6) else { return nil }
    if let known = songs[key] { return known }
    let song = try SongRecord.song(from: row, at: 21)
    songs[key] = song
    return song
  }
}
