import GRDB
import Music

/// The rows of `participants`: everyone with a track, under the name used last.
enum ParticipantRecord {
  /// Adds or renames the participant, who used their name at `time`; returns the row's key.
  static func store(_ participant: Participant, at time: WallTime, in database: Database) throws -> Int64 {
    let find = try database.cachedStatement(
      sql: "SELECT key, name, named_at, given_name FROM participants WHERE id = ?")
    let name = participant.name.description
    let key: Int64
    if let row = try Row.fetchOne(find, arguments: [participant.id]) {
      key = try row.decode(Int64.self, atIndex: 0)
      let isLatest = try row.decode(WallTime.self, atIndex: 2) <= time
      guard try isLatest && row.decode(String.self, atIndex: 1) != name else {
        if isLatest {
          try database.execute(sql: "UPDATE participants SET named_at = ? WHERE key = ?", arguments: [time, key])
        }
        try remember(name, of: key, in: database)
        return key
      }
      let shown = try row.decode(String?.self, atIndex: 3) ?? name
      try database.execute(
        sql: "UPDATE participants SET name = ?, named_at = ?, folded_name = ? WHERE key = ?",
        arguments: [name, time, SongRecord.folded(shown), key])
    } else {
      try database.execute(
        sql: "INSERT INTO participants (id, name, named_at, folded_name) VALUES (?, ?, ?, ?)",
        arguments: [participant.id, name, time, SongRecord.folded(name)])
      key = database.lastInsertedRowID
    }
    try remember(name, of: key, in: database)
    try PersonRecord.refreshWords(of: key, in: database)
    return key
  }

  private static func remember(_ name: String, of key: Int64, in database: Database) throws {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO participant_names (participant, name) VALUES (?, ?)")
      .execute(arguments: [key, name])
    if database.changesCount > 0 { try PersonRecord.refreshWords(of: key, in: database) }
  }

  /// Deletes a participant without tracks into whom nobody was merged.
  static func deleteIfLeft(_ key: Int64, in database: Database) throws {
    let isUsed = try Bool.fetchOne(
      database,
      sql: """
        SELECT EXISTS (SELECT 1 FROM tracks WHERE participant = ?1)
          OR EXISTS (SELECT 1 FROM participants WHERE merged_into = ?1)
        """, arguments: [key])
    guard isUsed == false else { return }
    let person = try Int64.fetchOne(
      database, sql: "SELECT merged_into FROM participants WHERE key = ?", arguments: [key])
    try SearchRecord.remove(key, from: .people, of: database)
    try database.execute(sql: "DELETE FROM participants WHERE key = ?", arguments: [key])
    if let person {
      try deleteIfLeft(person, in: database)
      try PersonRecord.refreshWords(of: person, in: database)
    }
  }
}
