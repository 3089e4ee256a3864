import Foundation
import GRDB
import Music

/// The rows of `songs`.
enum SongRecord {
  /// The title without surrounding spaces; nil if nothing is left.
  static func title(_ text: String) -> String? {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(start[...last])
  }

  /// The case-folded title, the same for "Straße" and "STRASSE", and for "é" in any Unicode form.
  static func folded(_ title: String) -> String {
    // First upper, then lower case, so that letters with a multi-letter upper case are folded too.
    title.uppercased().lowercased().precomposedStringWithCanonicalMapping
  }

  /// The columns in the order expected by `song(from:at:)`.
  static let columns =
    "songs.id, songs.title, songs.composers, songs.musical_key, songs.tempo, songs.notes, songs.revision"

  /// Decodes a song whose columns begin at `index`.
  static func song(from row: some ListRow, at index: Int32) throws -> Song {
    Song(
      id: try row.identifier(index), title: try row.text(index + 1) ?? row.fail(index + 1),
      composers: Lines.list(row.text(index + 2)), key: row.text(index + 3),
      tempo: try Lines.tempo(row.text(index + 4)), notes: row.text(index + 5), revision: try row[index + 6])
  }

  static func find(titled title: String, in database: Database) throws -> Song? {
    try PlainRow.all(
      database, sql: "SELECT \(columns) FROM songs WHERE folded_title = ? ORDER BY id LIMIT 1",
      arguments: [folded(title)]
    ) { try song(from: $0, at: 0) }.first
  }

  static func find(_ id: SongID, in database: Database) throws -> (key: Int64, song: Song)? {
    try PlainRow.all(database, sql: "SELECT \(columns), songs.key FROM songs WHERE id = ?", arguments: [id]) { row in
      (key: try row[7] as Int64, song: try song(from: row, at: 0))
    }.first
  }

  /// Finds the song with this case-insensitive title, or adds it with the time of its first take.
  static func findOrAdd(_ title: String, at time: WallTime, in database: Database) throws -> Song {
    if let song = try find(titled: title, in: database) { return song }
    let song = Song(id: SongID(at: time), title: title)
    try store(song, isFiled: false, in: database)
    return song
  }

  /// Returns the key of the song's row, adding it if necessary; a known song is not changed.
  static func findOrAdd(_ song: Song, in database: Database) throws -> Int64 {
    if let key = try find(song.id, in: database)?.key { return key }
    return try store(song, isFiled: false, in: database)
  }

  /// Adds or replaces the song; returns its key.
  @discardableResult
  static func store(_ song: Song, isFiled: Bool, in database: Database) throws -> Int64 {
    let upsert = try database.cachedStatement(
      sql: """
        INSERT INTO songs (id, title, folded_title, composers, musical_key, tempo, notes, revision, is_filed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
          title = excluded.title, folded_title = excluded.folded_title, composers = excluded.composers,
          musical_key = excluded.musical_key, tempo = excluded.tempo, notes = excluded.notes,
          revision = excluded.revision, is_filed = excluded.is_filed
        """)
    try upsert.execute(arguments: [
      song.id, song.title, folded(song.title), Lines.column(song.composers), song.key, Lines.column(song.tempo),
      song.notes, song.revision, isFiled,
    ])
    guard let key = try Int64.fetchOne(database, sql: "SELECT key FROM songs WHERE id = ?", arguments: [song.id])
    else { throw CatalogError.unknownSong(song.id) }
    try SearchRecord.store(words(of: song), at: key, in: .songs, of: database)
    return key
  }

  /// The words by which the song is found.
  static func words(of song: Song) -> [String] {
    SearchWords.of([song.title, song.key ?? "", song.notes ?? ""] + song.composers)
  }

  /// True while any take has the song, including those in the trash.
  static func isUsed(_ key: Int64, in database: Database) throws -> Bool {
    try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM takes WHERE song = ?)", arguments: [key]) ?? false
  }

  static func delete(_ key: Int64, in database: Database) throws {
    try SearchRecord.remove(key, from: .songs, of: database)
    try database.execute(sql: "DELETE FROM songs WHERE key = ?", arguments: [key])
  }

  /// Deletes a song known only from takes, once the last of them is gone.
  static func deleteIfLeft(_ key: Int64, in database: Database) throws {
    let isFiled =
      try Bool.fetchOne(database, sql: "SELECT is_filed FROM songs WHERE key = ?", arguments: [key]) ?? true
    guard try !isFiled && !isUsed(key, in: database) else { return }
    try delete(key, in: database)
  }
}

/// Lists of lines in one column: tags, composers, tempo changes. Their items never contain a line break.
enum Lines {
  static func column(_ lines: [String]) -> String? { lines.isEmpty ? nil : lines.joined(separator: "\n") }

  static func list(_ column: String?) -> [String] {
    column.map { $0.split(separator: "\n").map(String.init) } ?? []
  }

  static func column(_ tempo: TempoMap?) -> String? {
    tempo.map { map in
      map.changes.map { "\($0.position.samples) \($0.beatsPerMinute) \($0.beatsPerBar) \($0.beatUnit)" }
        .joined(separator: "\n")
    }
  }

  /// - Throws: `CatalogError.damaged` for a value not written by this program.
  static func tempo(_ column: String?) throws -> TempoMap? {
    guard let column else { return nil }
    let changes = try list(column).map { line in
      let fields = line.split(separator: " ")
      guard fields.count == 4, let samples = Int64(fields[0]), let beats = Double(fields[1]),
        let bar = Int(fields[2]), let unit = Int(fields[3])
      else { throw CatalogError.damaged("a tempo is \"\(line.prefix(80))\"") }
      return TempoMap.Change(
        position: SamplePosition(samples), beatsPerMinute: beats, beatsPerBar: bar, beatUnit: unit)
    }
    let tempo = TempoMap(changes: changes)
    do { try tempo.check() } catch { throw CatalogError.damaged("a tempo cannot be: \(error)") }
    return tempo
  }
}
