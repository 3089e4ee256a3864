import GRDB
import Music

/// What `0002_library.sql` cannot say in SQL: the folded names, the places, and the words of what there is.
enum LibraryUpgrade {
  static let version = 2

  static func fill(_ database: Database) throws {
    let people = try Row.fetchAll(database, sql: "SELECT key, name FROM participants")
    for row in people {
      let key = try row.decode(Int64.self, atIndex: 0)
      try database.execute(
        sql: "UPDATE participants SET folded_name = ? WHERE key = ?",
        arguments: [SongRecord.folded(try row.decode(atIndex: 1)), key])
      try PersonRecord.refreshWords(of: key, in: database)
    }
    for row in try Row.fetchAll(database, sql: "SELECT key, title FROM songs") {
      try SearchRecord.store(
        SearchWords.of([try row.decode(atIndex: 1)]), at: row.decode(atIndex: 0), in: .songs, of: database)
    }
    var last: (base: Int64, place: Int64) = (-1, -1)
    for row in try Row.fetchAll(database, sql: "SELECT key, started_at FROM takes ORDER BY started_at, id") {
      let base = TakePlace.first(of: try row.decode(atIndex: 1))
      let place = base == last.base ? last.place + 1 : max(base, last.place + 1)
      last = (base, place)
      let key = try row.decode(Int64.self, atIndex: 0)
      try database.execute(sql: "UPDATE takes SET place = ? WHERE key = ?", arguments: [place, key])
      try SearchRecord.refresh(take: key, in: database)
    }
  }
}
