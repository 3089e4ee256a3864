import Music

/// The rows of `takes`.
enum PostgreSQLTakes {
  /// The rows referenced by a take.
  struct References {
    var room: Int64
    var session: Int64
    var song: Int64?

    /// Finds them, adding those that are missing.
    init(of take: Take, in database: PostgreSQLConnection) throws {
      (session, room) = try PostgreSQLSessions.findOrAdd(
        take.session, room: take.room, startedAt: take.startedAt, in: database)
      song = try take.song.map { try PostgreSQLSongs.findOrAdd($0, in: database) }
    }
  }

  /// The columns of `TakeReader` and `TakeText`, with their tables.
  static let select = "\(TakeReader.columns)\nFROM takes\n\(joins)"
  static let joins = """
    JOIN rooms ON rooms.key = takes.room
    JOIN sessions ON sessions.key = takes.session
    LEFT JOIN songs ON songs.key = takes.song
    """

  /// 1 + the highest number of the same room and song, `take`'s own aside.
  static func nextNumber(
    room: Int64?, song: Int64?, besides take: TakeID, in database: PostgreSQLConnection
  ) throws -> Int {
    let highest =
      if let song {
        try database.integer(
          "SELECT max(number) FROM takes WHERE room = $1 AND id <> $2 AND song = $3", [room, take, song])
      } else {
        try database.integer(
          "SELECT max(number) FROM takes WHERE room = $1 AND id <> $2 AND song IS NULL", [room, take])
      }
    // The table's numbers are limited far below the highest Int.
    return Int(highest ?? 0) + 1
  }

  static func fetch(
    _ sql: String, _ values: [(any PostgreSQLValue)?], in database: PostgreSQLConnection
  ) throws -> [Take] {
    var reader = TakeReader()
    return try database.all(sql, values) { try reader.take(from: $0) }
  }

  static func find(_ id: TakeID, in database: PostgreSQLConnection) throws -> Take? {
    try fetch("\(select)\nWHERE takes.id = $1", [id], in: database).first
  }

  static func key(of id: TakeID, in database: PostgreSQLConnection) throws -> Int64? {
    try database.integer("SELECT key FROM takes WHERE id = $1", [id])
  }

  static func state(of id: TakeID, in database: PostgreSQLConnection) throws -> TakeState? {
    try database.all("SELECT state FROM takes WHERE id = $1", [id]) { row -> TakeState in
      guard let state = row.text(0).flatMap(TakeState.init) else { return try row.fail(0) }
      return state
    }.first
  }

  /// Adds or replaces the take, keeping its key, and returns the key. Its words are updated separately by
  /// `PostgreSQLSearch.refresh`, once its tracks and cues are stored.
  static func store(_ take: Take, _ references: References, in database: PostgreSQLConnection) throws -> Int64 {
    let notes = take.annotations
    let values: [(any PostgreSQLValue)?] = [
      take.id, take.number, take.state, references.room, references.session, references.song, take.startedAt,
      take.endedAt, take.length, take.trackCount, take.folder, notes.title, notes.rating ?? 0, notes.isFavourite,
      notes.notes, Lines.column(notes.tags), take.loudness, take.deletedAt, take.revision,
    ]
    let rows = try database.all(
      """
      INSERT INTO takes
        (id, number, state, room, session, song, started_at, ended_at, length, track_count, folder, title, rating,
        is_favourite, notes, tags, loudness, deleted_at, revision)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
      ON CONFLICT (id) DO UPDATE SET
        number = excluded.number, state = excluded.state, room = excluded.room, session = excluded.session,
        song = excluded.song, started_at = excluded.started_at, ended_at = excluded.ended_at,
        length = excluded.length, track_count = excluded.track_count, folder = excluded.folder,
        title = excluded.title, rating = excluded.rating, is_favourite = excluded.is_favourite,
        notes = excluded.notes, tags = excluded.tags, loudness = excluded.loudness,
        deleted_at = excluded.deleted_at, revision = excluded.revision
      RETURNING key, place
      """, values
    ) { (key: try $0[0] as Int64, place: $0.integer(1)) }
    guard let row = rows.first else { throw CatalogError.unknownTake(take.id) }
    let places = TakePlace.range(of: take.startedAt)
    if row.place.map(places.contains) != true { try move(row.key, to: places, in: database) }
    return row.key
  }

  /// Moves the take to the first free place of its time.
  private static func move(_ key: Int64, to places: Range<Int64>, in database: PostgreSQLConnection) throws {
    let last = try database.integer(
      "SELECT max(place) FROM takes WHERE place >= $1 AND place < $2", [places.lowerBound, places.upperBound])
    var place = last.map { $0 + 1 } ?? places.lowerBound
    // If one millisecond has more takes than places, only the order among them is lost.
    while try database.integer("SELECT 1 FROM takes WHERE place = $1", [place]) != nil { place += 1 }
    try database.execute("UPDATE takes SET place = $1 WHERE key = $2", [place, key])
  }

  /// Deletes the take, and any song and participants known only from it.
  static func delete(_ id: TakeID, in database: PostgreSQLConnection) throws {
    let rows = try database.all("SELECT key, song FROM takes WHERE id = $1", [id]) {
      (key: try $0[0] as Int64, song: $0.integer(1))
    }
    guard let row = rows.first else { return }
    let people = try database.integers("SELECT DISTINCT participant FROM tracks WHERE take = $1", [row.key])
    try database.execute("DELETE FROM takes WHERE key = $1", [row.key])
    if let song = row.song { try PostgreSQLSongs.deleteIfLeft(song, in: database) }
    for person in people { try PostgreSQLPeople.deleteIfLeft(person, in: database) }
  }
}

extension TakeContents {
  func store(in database: PostgreSQLConnection) throws {
    if let current = try PostgreSQLTakes.state(of: take.id, in: database), !current.mayReach(take.state) {
      throw CatalogError.illegalMove(take.id, from: current, to: take.state)
    }
    if let session { try PostgreSQLSessions.store(session, in: database) }
    var take = take
    take.trackCount = tracks.count
    let references = try PostgreSQLTakes.References(of: take, in: database)
    let formerSong = try database.integer("SELECT song FROM takes WHERE id = $1", [take.id])
    let key = try PostgreSQLTakes.store(take, references, in: database)
    try PostgreSQLTracks.replace(ofTake: key, with: tracks, at: take.startedAt, in: database)
    try PostgreSQLCues.replace(ofTake: key, with: cues, in: database)
    try PostgreSQLFiles.replace(ofTake: key, with: files, in: database)
    try PostgreSQLSearch.refresh(take: key, in: database)
    if let formerSong, formerSong != references.song { try PostgreSQLSongs.deleteIfLeft(formerSong, in: database) }
  }
}
