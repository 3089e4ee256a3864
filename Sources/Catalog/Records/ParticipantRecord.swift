import GRDB
import Music

/// The rows of `participants`: everybody who has a track, under the name that they used last.
enum ParticipantRecord {
  /// Adds or renames the participant; answers with the row's key.
  static func store(_ participant: Participant, in database: Database) throws -> Int64 {
    let find = try database.cachedStatement(sql: "SELECT key, name FROM participants WHERE id = ?")
    let name = participant.name.description
    guard let row = try Row.fetchOne(find, arguments: [participant.id]) else {
      try database.execute(
        sql: "INSERT INTO participants (id, name) VALUES (?, ?)", arguments: [participant.id, name])
      return database.lastInsertedRowID
    }
    let key = try row.decode(Int64.self, atIndex: 0)
    if try row.decode(String.self, atIndex: 1) != name {
      try database.execute(sql: "UPDATE participants SET name = ? WHERE key = ?", arguments: [name, key])
    }
    return key
  }
}
