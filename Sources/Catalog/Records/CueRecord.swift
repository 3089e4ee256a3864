import GRDB
import Music

/// The rows of `cues`.
enum CueRecord {
  static func replace(ofTake take: Int64, with cues: [Cue], in database: Database) throws {
    try database.execute(sql: "DELETE FROM cues WHERE take = ?", arguments: [take])
    let insert = try database.cachedStatement(
      sql: "INSERT INTO cues (id, take, position, text, author) VALUES (?, ?, ?, ?, ?)")
    for cue in cues { try insert.execute(arguments: [cue.id, take, cue.position, cue.text, cue.author]) }
  }

  static func fetch(of take: TakeID, in database: Database) throws -> [Cue] {
    let select = try database.cachedStatement(
      sql: """
        SELECT cues.id, cues.position, cues.text, cues.author
        FROM takes CROSS JOIN cues ON cues.take = takes.key
        WHERE takes.id = ?
        ORDER BY cues.position, cues.id
        """)
    return try Row.fetchAll(select, arguments: [take]).map { row in
      Cue(
        id: try row.decode(atIndex: 0), position: try row.decode(atIndex: 1), text: try row.decode(atIndex: 2),
        author: try row.decode(atIndex: 3))
    }
  }
}
