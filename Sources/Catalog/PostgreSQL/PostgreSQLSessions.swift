import Music

/// The rows of `sessions` and `rooms`.
enum PostgreSQLSessions {
  /// Adds the session, or updates the times of a known one; a known end is kept.
  static func store(_ session: Session, in database: PostgreSQLConnection) throws {
    let key = try findOrAdd(session.id, room: session.room, startedAt: session.startedAt, in: database).session
    try database.execute(
      "UPDATE sessions SET started_at = $1, ended_at = coalesce($2, ended_at) WHERE key = $3",
      [session.startedAt, session.endedAt, key])
  }

  /// Returns the keys of the session and its room, adding them if necessary.
  ///
  /// A session known only from takes begins with the first of them.
  /// - Throws: `CatalogError.sessionElsewhere` if the session belongs to another room.
  static func findOrAdd(
    _ id: SessionID, room: RoomName, startedAt: WallTime, in database: PostgreSQLConnection
  ) throws -> (session: Int64, room: Int64) {
    let known = try database.all(
      """
      SELECT sessions.key, sessions.room, rooms.name FROM sessions JOIN rooms ON rooms.key = sessions.room
      WHERE sessions.id = $1
      """, [id]
    ) { (session: try $0[0] as Int64, room: try $0[1] as Int64, name: try $0.roomName(2)) }
    if let known = known.first {
      guard known.name == room else { throw CatalogError.sessionElsewhere(id, room: known.name) }
      try database.execute(
        "UPDATE sessions SET started_at = $1 WHERE key = $2 AND started_at > $1", [startedAt, known.session])
      return (known.session, known.room)
    }
    let roomKey = try findOrAdd(room, in: database)
    let key = try database.integer(
      "INSERT INTO sessions (id, room, started_at) VALUES ($1, $2, $3) RETURNING key", [id, roomKey, startedAt])
    guard let key else { throw CatalogError.unknownSession(id) }
    return (key, roomKey)
  }

  /// Returns false if the session does not exist.
  static func end(_ id: SessionID, at time: WallTime, in database: PostgreSQLConnection) throws -> Bool {
    try database.execute("UPDATE sessions SET ended_at = $1 WHERE id = $2", [time, id]) == 1
  }

  /// Returns false if the session does not exist, has not ended or has takes.
  static func discard(_ id: SessionID, in database: PostgreSQLConnection) throws -> Bool {
    let count = try database.execute(
      """
      DELETE FROM sessions WHERE id = $1 AND ended_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM takes WHERE takes.session = sessions.key)
      """, [id])
    guard count == 1 else { return false }
    try database.execute(
      """
      DELETE FROM rooms WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.room = rooms.key)
      AND NOT EXISTS (SELECT 1 FROM takes WHERE takes.room = rooms.key)
      """)
    return true
  }

  static func endLeft(in database: PostgreSQLConnection) throws {
    try database.execute(
      """
      UPDATE sessions SET ended_at = coalesce(
        (SELECT max(coalesce(takes.ended_at, takes.started_at)) FROM takes WHERE takes.session = sessions.key),
        started_at)
      WHERE ended_at IS NULL
      """)
  }

  static func find(_ id: SessionID, in database: PostgreSQLConnection) throws -> Session? {
    try fetch("WHERE sessions.id = $1", [id], in: database).first
  }

  /// The sessions of a query that goes on after its tables.
  static func fetch(
    _ rest: String, _ values: [(any PostgreSQLValue)?], in database: PostgreSQLConnection
  ) throws -> [Session] {
    try database.all(
      """
      SELECT sessions.id, rooms.name, sessions.started_at, sessions.ended_at
      FROM sessions JOIN rooms ON rooms.key = sessions.room
      \(rest)
      """, values
    ) { row in
      Session(
        id: try row.identifier(0), room: try row.roomName(1), startedAt: WallTime(milliseconds: try row[2]),
        endedAt: row.integer(3).map(WallTime.init(milliseconds:)))
    }
  }

  static func key(of id: SessionID, in database: PostgreSQLConnection) throws -> Int64? {
    try database.integer("SELECT key FROM sessions WHERE id = $1", [id])
  }

  // MARK: Rooms

  static func findOrAdd(_ room: RoomName, in database: PostgreSQLConnection) throws -> Int64 {
    if let key = try find(room, in: database) { return key }
    let key = try database.integer("INSERT INTO rooms (name) VALUES ($1) RETURNING key", [RoomRecord.key(room)])
    guard let key else { throw CatalogError.conflict("a room got no key") }
    return key
  }

  static func find(_ room: RoomName, in database: PostgreSQLConnection) throws -> Int64? {
    try database.integer("SELECT key FROM rooms WHERE name = $1", [RoomRecord.key(room)])
  }

  static func rooms(in database: PostgreSQLConnection) throws -> [RoomName] {
    try database.all("SELECT name FROM rooms") { try $0.roomName(0) }
  }
}
