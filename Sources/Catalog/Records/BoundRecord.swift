import GRDB
import Music

/// The rows of `bounds`.
enum BoundRecord {
  static func add(_ stretches: [BoundedStretch], toTrack track: Int64, in database: Database) throws {
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO bounds (track, number, start, "end", error_bound, unknown, basis) VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    for (number, stretch) in stretches.enumerated() {
      try insert.execute(arguments: [
        track, number, stretch.start, stretch.end, stretch.errorBound, stretch.unknownBecause, stretch.basis,
      ])
    }
  }

  static func fetch(ofTrack track: Int64, in database: Database) throws -> [BoundedStretch] {
    let select = try database.cachedStatement(
      sql: "SELECT start, \"end\", error_bound, unknown, basis FROM bounds WHERE track = ? ORDER BY number")
    return try Row.fetchAll(select, arguments: [track]).map { row in
      BoundedStretch(
        start: try row.decode(atIndex: 0), end: try row.decode(atIndex: 1), errorBound: try row.decode(atIndex: 2),
        unknownBecause: try row.decode(atIndex: 3), basis: try row.decode(atIndex: 4))
    }
  }
}
