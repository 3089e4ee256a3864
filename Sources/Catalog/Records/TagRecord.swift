import GRDB
import Music

/// The rows of `tags`: one for every tag that a take ever had, whatever its case.
enum TagRecord {
  static func findOrAdd(_ tag: String, in database: Database) throws -> Int64 {
    if let key = try find(tag, in: database) { return key }
    try database.execute(sql: "INSERT INTO tags (folded) VALUES (?)", arguments: [SongRecord.folded(tag)])
    return database.lastInsertedRowID
  }

  static func find(_ tag: String, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT key FROM tags WHERE folded = ?"), arguments: [SongRecord.folded(tag)])
  }
}
