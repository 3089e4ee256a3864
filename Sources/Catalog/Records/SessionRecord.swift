import Foundation
import GRDB
import Music

/// The rows of `sessions`.
enum SessionRecord {
  /// Adds the session, or updates the times of a known one; a known end is kept.
  static func store(_ session: Session, in database: Database) throws {
    let key = try findOrAdd(session.id, room: session.room, startedAt: session.startedAt, in: database).session
    try database.execute(
      sql: "UPDATE sessions SET started_at = ?, ended_at = coalesce(?, ended_at) WHERE key = ?",
      arguments: [session.startedAt, session.endedAt, key])
  }

  /// Returns the keys of the session and its room, adding them if necessary.
  ///
  /// A session known only from takes begins with the first of them.
  /// - Throws: `CatalogError.sessionElsewhere` if the session belongs to another room.
  static func findOrAdd(
    _ id: SessionID, room: RoomName, startedAt: WallTime, in database: Database
  ) throws -> (session: Int64, room: Int64) {
    if let row = try row(of: id, in: database) {
      let found = try row.roomName(at: 2)
      guard found == room else { throw CatalogError.sessionElsewhere(id, room: found) }
      let keys = (session: try row.decode(Int64.self, atIndex: 0), room: try row.decode(Int64.self, atIndex: 1))
      try database.execute(
        sql: "UPDATE sessions SET started_at = ?1 WHERE key = ?2 AND started_at > ?1",
        arguments: [startedAt, keys.session])
      return keys
    }
    let roomKey = try RoomRecord.findOrAdd(room, in: database)
    try database.execute(
      sql: "INSERT INTO sessions (id, room, started_at) VALUES (?, ?, ?)", arguments: [id, roomKey, startedAt])
    return (database.lastInsertedRowID, roomKey)
  }

  /// Returns false if the session does not exist.
  static func end(_ id: SessionID, at time: WallTime, in database: Database) throws -> Bool {
    try database.execute(sql: "UPDATE sessions SET ended_at = ? WHERE id = ?", arguments: [time, id])
    return database.changesCount == 1
  }

  /// Returns false if the session does not exist, has not ended or has takes.
  static func discard(_ id: SessionID, in database: Database) throws -> Bool {
    try database.execute(
      sql: """
        DELETE FROM sessions WHERE id = ? AND ended_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM takes WHERE takes.session = sessions.key)
        """, arguments: [id])
    guard database.changesCount == 1 else { return false }
    try database.execute(
      sql: """
        DELETE FROM rooms WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.room = rooms.key)
        AND NOT EXISTS (SELECT 1 FROM takes WHERE takes.room = rooms.key)
        """)
    return true
  }

  static func endLeft(in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE sessions SET ended_at = coalesce(
          (SELECT max(coalesce(takes.ended_at, takes.started_at)) FROM takes WHERE takes.session = sessions.key),
          started_at)
        WHERE ended_at IS NULL
        """)
  }

  static func find(_ id: SessionID, in database: Database) throws -> Session? {
    guard let row = try row(of: id, in: database) else { return nil }
    return Session(
      id: id, room: try row.roomName(at: 2), startedAt: try row.decode(WallTime.self, atIndex: 3),
      endedAt: try row.decode(WallTime?.self, atIndex: 4))
  }

  static func key(of id: SessionID, in database: Database) throws -> Int64? {
    try Int64.fetchOne(database.cachedStatement(sql: "SELECT key FROM sessions WHERE id = ?"), arguments: [id])
  }

  private static func row(of id: SessionID, in database: Database) throws -> Row? {
    let find = try database.cachedStatement(
      sql: """
        SELECT sessions.key, sessions.room, rooms.name, sessions.started_at, sessions.ended_at
        FROM sessions JOIN rooms ON rooms.key = sessions.room
        WHERE sessions.id = ?
        """)
    return try Row.fetchOne(find, arguments: [id])
  }
}

/// The rows of `rooms`: one for every name with a session.
enum RoomRecord {
  /// The name's key in the table, the same for all Unicode forms of a name.
  static func key(_ name: RoomName) -> String {
    name.description.precomposedStringWithCanonicalMapping
  }

  /// Returns the key of the room's row, adding it if necessary.
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
