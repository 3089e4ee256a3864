import Foundation
import GRDB
import Music

/// The rows of `songs`.
enum SongRecord {
  /// A title without blanks around it, nil where nothing is left.
  static func title(_ text: String) -> String? {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(start[...last])
  }

  /// What titles that differ in case only have in common: "Straße" and "STRASSE", "é" composed or not.
  static func folded(_ title: String) -> String {
    // Up before down, so that letters with a long capital form meet too.
    title.uppercased().lowercased().precomposedStringWithCanonicalMapping
  }

  static func find(titled title: String, in database: Database) throws -> Song? {
    let find = try database.cachedStatement(
      sql: "SELECT id, title FROM songs WHERE folded_title = ? ORDER BY id LIMIT 1")
    guard let row = try Row.fetchOne(find, arguments: [folded(title)]) else { return nil }
    return Song(id: try row.decode(SongID.self, atIndex: 0), title: try row.decode(String.self, atIndex: 1))
  }

  static func find(_ id: SongID, in database: Database) throws -> (key: Int64, song: Song)? {
    let find = try database.cachedStatement(sql: "SELECT key, title FROM songs WHERE id = ?")
    guard let row = try Row.fetchOne(find, arguments: [id]) else { return nil }
    return (try row.decode(Int64.self, atIndex: 0), Song(id: id, title: try row.decode(String.self, atIndex: 1)))
  }

  /// The song of this title in any case; a new one is as old as its first take.
  static func findOrAdd(_ title: String, at time: WallTime, in database: Database) throws -> Song {
    if let song = try find(titled: title, in: database) { return song }
    let song = Song(id: SongID(at: time), title: title)
    _ = try add(song, in: database)
    return song
  }

  /// The key of the song's row, which is added where there is none; a known song keeps its title.
  static func findOrAdd(_ song: Song, in database: Database) throws -> Int64 {
    try find(song.id, in: database)?.key ?? add(song, in: database)
  }

  private static func add(_ song: Song, in database: Database) throws -> Int64 {
    try database.execute(
      sql: "INSERT INTO songs (id, title, folded_title) VALUES (?, ?, ?)",
      arguments: [song.id, song.title, folded(song.title)])
    return database.lastInsertedRowID
  }
}
