import GRDB
import Music

/// The statement behind a list of songs: along their titles, or through the full-text index.
struct SongListing {
  private let query: SongQuery
  private let found: ListCursor
  private let titled: TextCursor

  /// - Throws: `CatalogError.invalidCursor`, `.limitOutOfRange`.
  init(_ query: SongQuery) throws(CatalogError) {
    guard TakeListing.limits.contains(query.limit) else { throw .limitOutOfRange(query.limit) }
    self.query = query
    found = try ListCursor.read(query.text == nil ? nil : query.cursor, of: .foundSongs)
    titled = try TextCursor.read(query.text == nil ? query.cursor : nil, of: .songs)
  }

  func statement() throws -> TakeListing.Statement? {
    guard let text = query.text else {
      return TakeListing.Statement(
        sql: """
          SELECT \(SongRecord.columns), songs.folded_title, songs.key FROM songs
          WHERE (folded_title, id) > (?, ?) ORDER BY folded_title, id LIMIT ?
          """, arguments: [titled.text, SongID(titled.id), query.limit + 1])
    }
    var match = MatchExpression()
    guard try match.add(text: text) else { return nil }
    return TakeListing.Statement(
      sql: """
        SELECT \(SongRecord.columns), songs.folded_title, songs.key
        FROM song_words CROSS JOIN songs ON songs.key = song_words.rowid
        WHERE song_words MATCH ? AND song_words.rowid < ? ORDER BY song_words.rowid DESC LIMIT ?
        """, arguments: [match.text, found.number, query.limit + 1])
  }

  func fetch(_ database: Database) throws -> Page<Song> {
    guard let statement = try statement() else { return Page(items: [], next: nil) }
    let rows = try Row.fetchAll(database.cachedStatement(sql: statement.sql), arguments: statement.arguments)
    let songs = try rows.prefix(query.limit).map { try SongRecord.song(from: $0, at: 0) }
    guard rows.count > query.limit, let last = songs.last else { return Page(items: songs, next: nil) }
    let row = rows[query.limit - 1]
    let next =
      query.text == nil
      ? TextCursor(.songs, text: try row.decode(atIndex: 7), id: last.id.ulid).encoded
      : ListCursor(.foundSongs, number: try row.decode(atIndex: 8)).text
    return Page(items: songs, next: next)
  }
}
