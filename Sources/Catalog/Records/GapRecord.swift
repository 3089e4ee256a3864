import GRDB
import Music

/// The rows of `gaps`.
enum GapRecord {
  static func add(_ gaps: [Gap], toTrack track: Int64, in database: Database) throws {
    // A bad line makes thousands of gaps.
    let insert = try database.cachedStatement(
      sql: "INSERT INTO gaps (track, number, start, length, cause, is_concealed) VALUES (?, ?, ?, ?, ?, ?)")
    for (number, gap) in gaps.enumerated() {
      try insert.execute(arguments: [track, number, gap.start, gap.length, gap.cause, gap.isConcealed])
    }
  }

  static func fetch(ofTrack track: Int64, in database: Database) throws -> [Gap] {
    let select = try database.cachedStatement(
      sql: "SELECT start, length, cause, is_concealed FROM gaps WHERE track = ? ORDER BY number")
    return try Row.fetchAll(select, arguments: [track]).map { row in
      Gap(
        start: try row.decode(atIndex: 0), length: try row.decode(atIndex: 1), cause: try row.decode(atIndex: 2),
        isConcealed: try row.decode(atIndex: 3))
    }
  }
}
