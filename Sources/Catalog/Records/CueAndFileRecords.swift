import GRDB
import Music

/// The rows of `cues`.
enum CueRecord {
  static func replace(ofTake take: Int64, with cues: [Cue], in database: Database) throws {
    try database.execute(sql: "DELETE FROM cues WHERE take = ?", arguments: [take])
    let insert = try database.cachedStatement(
      sql: """
        INSERT INTO cues (id, take, position, text, author, share, commenter, is_hidden)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for cue in cues {
      try insert.execute(arguments: [
        cue.id, take, cue.position, cue.text, cue.author, cue.comment?.share, cue.comment?.name.description,
        cue.comment?.isHidden ?? false,
      ])
    }
  }

  static func fetch(of take: TakeID, in database: Database) throws -> [Cue] {
    let select = try database.cachedStatement(
      sql: """
        SELECT cues.id, cues.position, cues.text, cues.author, cues.share, cues.commenter, cues.is_hidden
        FROM takes CROSS JOIN cues ON cues.take = takes.key
        WHERE takes.id = ?
        ORDER BY cues.position, cues.id
        """)
    return try Row.fetchAll(select, arguments: [take]).map { row in
      let share: ShareID? = try row.decode(atIndex: 4)
      let comment = try share.map {
        CueComment(share: $0, name: try row.displayName(at: 5), isHidden: try row.decode(atIndex: 6))
      }
      return Cue(
        id: try row.decode(atIndex: 0), position: try row.decode(atIndex: 1), text: try row.decode(atIndex: 2),
        author: try row.decode(atIndex: 3), comment: comment)
    }
  }
}

/// The rows of `files`.
enum FileRecord {
  static func replace(ofTake take: Int64, with files: [TakeFile], in database: Database) throws {
    try database.execute(sql: "DELETE FROM files WHERE take = ?", arguments: [take])
    let insert = try database.cachedStatement(
      sql: "INSERT INTO files (take, name, role, track, size, digest_method, digest) VALUES (?, ?, ?, ?, ?, ?, ?)")
    for file in files {
      try insert.execute(arguments: [
        take, file.name, file.role, file.track, file.size, file.digestMethod, file.digest,
      ])
    }
  }

  static func fetch(of take: TakeID, in database: Database) throws -> [TakeFile] {
    let select = try database.cachedStatement(
      sql: """
        SELECT files.name, files.role, files.track, files.size, files.digest_method, files.digest
        FROM takes CROSS JOIN files ON files.take = takes.key
        WHERE takes.id = ?
        ORDER BY files.name
        """)
    return try Row.fetchAll(select, arguments: [take]).map { row in
      TakeFile(
        name: try row.decode(atIndex: 0), role: try row.decode(atIndex: 1), track: try row.decode(atIndex: 2),
        size: try row.decode(atIndex: 3), digestMethod: try row.decode(atIndex: 4), digest: try row.decode(atIndex: 5))
    }
  }
}
