import Foundation
import GRDB
import Music

/// The rows of `rooms`: one for every name under which there was a session.
enum RoomRecord {
  /// The name's bytes in the table: equal names, however composed, have the same.
  static func key(_ name: RoomName) -> String {
    name.description.precomposedStringWithCanonicalMapping
  }

  /// The key of the room's row, which is added where there is none.
  static func findOrAdd(_ name: RoomName, in database: Database) throws -> Int64 {
    if let key = try find(name, in: database) { return key }
    try database.execute(sql: "INSERT INTO rooms (name) VALUES (?)", arguments: [key(name)])
    return database.lastInsertedRowID
  }

  static func find(_ name: RoomName, in database: Database) throws -> Int64? {
    let find = try database.cachedStatement(sql: "SELECT key FROM rooms WHERE name = ?")
    return try Int64.fetchOne(find, arguments: [key(name)])
  }

  static func all(in database: Database) throws -> [RoomName] {
    try String.fetchAll(database, sql: "SELECT name FROM rooms").map { try RoomName(checking: $0) }
  }
}
