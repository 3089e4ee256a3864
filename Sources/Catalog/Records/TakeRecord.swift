import GRDB
import Machines
import Music

/// The rows of `takes`.
enum TakeRecord {
  /// The rows referenced by a take.
  struct References {
    var room: Int64
    var session: Int64
    var song: Int64?

    /// Finds them, adding those that are missing.
    init(of take: Take, in database: Database) throws {
      (session, room) = try SessionRecord.findOrAdd(
        take.session, room: take.room, startedAt: take.startedAt, in: database)
      song = try take.song.map { try SongRecord.findOrAdd($0, in: database) }
    }
  }

  /// 1 + the highest number of the same room and song, `take`'s own aside.
  static func nextNumber(room: Int64?, song: Int64?, besides take: TakeID, in database: Database) throws -> Int {
    let highest = try Int.fetchOne(
      database, sql: "SELECT max(number) FROM takes WHERE room = ? AND song IS ? AND id <> ?",
      arguments: [room, song, take])
    // The table's numbers are limited far below the highest Int.
    return (highest ?? 0) + 1
  }

  /// Adds or replaces the take, keeping its key, and returns the key. Its words are updated separately by
  /// `SearchRecord.refresh`, once its tracks and cues are stored.
  static func store(_ take: Take, _ references: References, in database: Database) throws -> Int64 {
    let notes = take.annotations
    let upsert = try database.cachedStatement(
      sql: """
        INSERT INTO takes
          (id, number, state, room, session, song, started_at, ended_at, length, track_count, folder, title, rating,
          is_favourite, notes, tags, loudness, deleted_at, revision)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          number = excluded.number, state = excluded.state, room = excluded.room, session = excluded.session,
          song = excluded.song, started_at = excluded.started_at, ended_at = excluded.ended_at,
          length = excluded.length, track_count = excluded.track_count, folder = excluded.folder,
          title = excluded.title, rating = excluded.rating, is_favourite = excluded.is_favourite,
          notes = excluded.notes, tags = excluded.tags, loudness = excluded.loudness,
          deleted_at = excluded.deleted_at, revision = excluded.revision
        """)
    try upsert.execute(arguments: [
      take.id, take.number, take.state, references.room, references.session, references.song, take.startedAt,
      take.endedAt, take.length, take.trackCount, take.folder, notes.title, notes.rating ?? 0, notes.isFavourite,
      notes.notes, Lines.column(notes.tags), take.loudness, take.deletedAt, take.revision,
    ])
    guard let row = try Row.fetchOne(database, sql: "SELECT key, place FROM takes WHERE id = ?", arguments: [take.id])
    else { throw CatalogError.unknownTake(take.id) }
    let key = try row.decode(Int64.self, atIndex: 0)
    let places = TakePlace.range(of: take.startedAt)
    let place = try row.decode(Int64?.self, atIndex: 1)
    if place.map(places.contains) != true { try move(key, from: place, to: places, in: database) }
    return key
  }

  /// Moves the take to the first free place of its time.
  private static func move(
    _ key: Int64, from former: Int64?, to places: Range<Int64>, in database: Database
  ) throws {
    if let former {
      for table in SearchRecord.Table.ofTakes { try SearchRecord.remove(former, from: table, of: database) }
    }
    let last = try Int64.fetchOne(
      database, sql: "SELECT max(place) FROM takes WHERE place >= ? AND place < ?",
      arguments: [places.lowerBound, places.upperBound])
    var place = last.map { $0 + 1 } ?? places.lowerBound
    // If one millisecond has more takes than places, only the order among them is lost.
    while try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM takes WHERE place = ?)", arguments: [place]) == true
    { place += 1 }
    try database.execute(sql: "UPDATE takes SET place = ? WHERE key = ?", arguments: [place, key])
  }

  private static let one = "\(TakeReader.select)\nWHERE takes.id = ?"

  static func find(_ id: TakeID, in database: Database) throws -> Take? {
    try TakeReader.fetch(database, sql: one, arguments: [id]).first
  }

  /// The same with its text and its cues.
  static func findWhole(_ id: TakeID, in database: Database) throws -> IndexedTake? {
    try PlainRow.all(database, sql: one, arguments: [id]) { row in
      var json = JSONWriter(capacity: 1_024)
      try TakeText().write(row, to: &json)
      var reader = TakeReader()
      return IndexedTake(
        take: try reader.take(from: row), cues: try CueRecord.fetch(of: id, in: database), text: json.bytes)
    }.first
  }

  static func state(of id: TakeID, in database: Database) throws -> TakeState? {
    try Row.fetchOne(database, sql: "SELECT state FROM takes WHERE id = ?", arguments: [id])?
      .decode(TakeState.self, atIndex: 0)
  }

  static func setState(of id: TakeID, to state: TakeState, in database: Database) throws {
    try database.execute(sql: "UPDATE takes SET state = ? WHERE id = ?", arguments: [state, id])
    if let key = try key(of: id, in: database) { try SearchRecord.refresh(take: key, in: database) }
  }

  static func key(of id: TakeID, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT key FROM takes WHERE id = ?"), arguments: [id])
  }

  /// Deletes the take, and any song and participants known only from it.
  static func delete(_ id: TakeID, in database: Database) throws {
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT key, place, song FROM takes WHERE id = ?", arguments: [id])
    else { return }
    let key = try row.decode(Int64.self, atIndex: 0)
    let people = try Int64.fetchAll(
      database, sql: "SELECT DISTINCT participant FROM tracks WHERE take = ?", arguments: [key])
    if let place = try row.decode(Int64?.self, atIndex: 1) {
      for table in SearchRecord.Table.ofTakes { try SearchRecord.remove(place, from: table, of: database) }
    }
    try database.execute(sql: "DELETE FROM takes WHERE key = ?", arguments: [key])
    if let song = try row.decode(Int64?.self, atIndex: 2) { try SongRecord.deleteIfLeft(song, in: database) }
    for person in people { try ParticipantRecord.deleteIfLeft(person, in: database) }
  }

  /// The takes left unfinished by a process, oldest first.
  static func unfinished(in database: Database) throws -> [Take] {
    let states: [TakeState] = [.rolling, .captured, .rendering]
    return try TakeReader.fetch(
      database,
      sql: """
        \(TakeReader.select)
        WHERE takes.state IN (?, ?, ?) AND takes.deleted_at IS NULL
        ORDER BY takes.started_at, takes.id
        """,
      arguments: StatementArguments(states))
  }
}

/// The place of a take in the full-text index, which is sorted by time.
///
/// A place is the millisecond of the start followed by ten bits, so that takes of one millisecond have distinct
/// places. (More bits would lengthen every entry of the index.)
enum TakePlace {
  private static let bits: Int64 = 10
  /// The range of milliseconds with places: 1970 to the year 200,000; other times are clamped.
  private static let range: ClosedRange<Int64> = 0...(1 << 52)

  /// The places of a time.
  static func range(of time: WallTime) -> Range<Int64> {
    let first = first(of: time)
    return first..<first + (1 << bits)
  }

  /// The lowest place of a time.
  static func first(of time: WallTime) -> Int64 {
    min(max(time.milliseconds, range.lowerBound), range.upperBound) << bits
  }
}
