import Music

/// The rows of `songs`.
enum PostgreSQLSongs {
  static func find(titled title: String, in database: PostgreSQLConnection) throws -> Song? {
    let folded = SongRecord.folded(title)
    // No title has one, and PostgreSQL cannot be asked for it.
    guard !folded.utf8.contains(0) else { return nil }
    return try database.all(
      """
      SELECT \(SongRecord.columns) FROM songs
      WHERE left(folded_title, 400) = left($1, 400) AND folded_title = $1 ORDER BY id LIMIT 1
      """, [folded]
    ) { try SongRecord.song(from: $0, at: 0) }.first
  }

  static func find(_ id: SongID, in database: PostgreSQLConnection) throws -> (key: Int64, song: Song)? {
    try database.all("SELECT \(SongRecord.columns), songs.key FROM songs WHERE id = $1", [id]) { row in
      (key: try row[7] as Int64, song: try SongRecord.song(from: row, at: 0))
    }.first
  }

  /// Finds the song with this case-insensitive title, or adds it with the time of its first take.
  static func findOrAdd(_ title: String, at time: WallTime, in database: PostgreSQLConnection) throws -> Song {
    if let song = try find(titled: title, in: database) { return song }
    let song = Song(id: SongID(at: time), title: title)
    try store(song, isFiled: false, in: database)
    return song
  }

  /// Returns the key of the song's row, adding it if necessary; a known song is not changed.
  static func findOrAdd(_ song: Song, in database: PostgreSQLConnection) throws -> Int64 {
    if let key = try find(song.id, in: database)?.key { return key }
    return try store(song, isFiled: false, in: database)
  }

  /// Adds or replaces the song; returns its key.
  @discardableResult
  static func store(_ song: Song, isFiled: Bool, in database: PostgreSQLConnection) throws -> Int64 {
    let key = try database.integer(
      """
      INSERT INTO songs (id, title, folded_title, composers, musical_key, tempo, notes, revision, is_filed)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (id) DO UPDATE SET
        title = excluded.title, folded_title = excluded.folded_title, composers = excluded.composers,
        musical_key = excluded.musical_key, tempo = excluded.tempo, notes = excluded.notes,
        revision = excluded.revision, is_filed = excluded.is_filed
      RETURNING key
      """,
      [
        song.id, song.title, SongRecord.folded(song.title), Lines.column(song.composers), song.key,
        Lines.column(song.tempo), song.notes, song.revision, isFiled,
      ])
    guard let key else { throw CatalogError.unknownSong(song.id) }
    try refreshWords(of: key, song, in: database)
    return key
  }

  static func refreshWords(of key: Int64, _ song: Song, in database: PostgreSQLConnection) throws {
    var texts = [(field: "title", text: song.title)]
    if let musicalKey = song.key { texts.append((field: "key", text: musicalKey)) }
    if let notes = song.notes { texts.append((field: "note", text: notes)) }
    texts += song.composers.map { (field: "composer", text: $0) }
    try PostgreSQLSearch.store(texts, of: key, in: .songs, of: database)
  }

  /// True while any take has the song, including those in the trash.
  static func isUsed(_ key: Int64, in database: PostgreSQLConnection) throws -> Bool {
    try database.integer("SELECT 1 FROM takes WHERE song = $1 LIMIT 1", [key]) != nil
  }

  static func delete(_ key: Int64, in database: PostgreSQLConnection) throws {
    try database.execute("DELETE FROM songs WHERE key = $1", [key])
  }

  /// Deletes a song known only from takes, once the last of them is gone.
  static func deleteIfLeft(_ key: Int64, in database: PostgreSQLConnection) throws {
    let isFiled = try database.integer("SELECT is_filed FROM songs WHERE key = $1", [key]) != 0
    guard try !isFiled && !isUsed(key, in: database) else { return }
    try delete(key, in: database)
  }
}
