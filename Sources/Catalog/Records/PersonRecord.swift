import GRDB
import Music

/// People: participants with the others merged into them.
enum PersonRecord {
  /// The person with the identifier, now or formerly.
  static func find(_ id: ParticipantID, in database: Database) throws -> Person? {
    guard let key = try key(of: id, in: database) else { return nil }
    return try fetch(
      database,
      sql: "SELECT \(columns) FROM participants WHERE key = ?", arguments: [key]
    ).first?.item
  }

  /// The key of the person with the identifier, now or formerly.
  static func key(of id: ParticipantID, in database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT coalesce(merged_into, key) FROM participants WHERE id = ?"),
      arguments: [id])
  }

  /// The columns required by `fetch`.
  static let columns =
    "participants.key, participants.id, participants.name, participants.given_name, revision, folded_name"

  static func fetch(
    _ database: Database, sql: String, arguments: StatementArguments, isRecurring: Bool = true
  ) throws -> [(item: Person, key: Int64, folded: String)] {
    let statement = try isRecurring ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
    return try Row.fetchAll(statement, arguments: arguments).map { row in
      let key = try row.decode(Int64.self, atIndex: 0)
      let last = try row.displayName(at: 2)
      let given = try row.decode(String?.self, atIndex: 3) == nil ? nil : try row.displayName(at: 3)
      let person = Person(
        id: try row.decode(atIndex: 1), name: given ?? last, givenName: given,
        names: try names(of: key, in: database), merged: try merged(into: key, in: database),
        revision: try row.decode(atIndex: 4))
      return (person, key, try row.decode(atIndex: 5))
    }
  }

  /// Stores an edit: the name, the revision, and exactly these merged identifiers. Does nothing if the index knows
  /// none.
  static func store(_ person: Person, in database: Database) throws {
    let ids = [person.id] + person.merged
    let known = try ids.compactMap { id in
      try Int64.fetchOne(database, sql: "SELECT key FROM participants WHERE id = ?", arguments: [id])
    }
    guard !known.isEmpty else { return }
    try database.execute(
      sql: """
        INSERT INTO participants (id, name, folded_name) VALUES (?, ?, ?)
        ON CONFLICT (id) DO NOTHING
        """, arguments: [person.id, person.name.description, SongRecord.folded(person.name.description)])
    try database.execute(
      sql: """
        UPDATE participants SET given_name = ?1, folded_name = ?2, revision = ?3, merged_into = NULL WHERE id = ?4
        """,
      arguments: [
        person.givenName?.description, SongRecord.folded(person.name.description), person.revision, person.id,
      ])
    guard
      let key = try Int64.fetchOne(database, sql: "SELECT key FROM participants WHERE id = ?", arguments: [person.id])
    else { return }
    let former = try Int64.fetchAll(
      database, sql: "SELECT key FROM participants WHERE merged_into = ?", arguments: [key])
    try database.execute(sql: "UPDATE participants SET merged_into = NULL WHERE merged_into = ?", arguments: [key])
    for id in person.merged {
      try database.execute(
        sql: "UPDATE participants SET merged_into = ?1, given_name = NULL, revision = 1 WHERE id = ?2 AND key <> ?1",
        arguments: [key, id])
    }
    let now = try Int64.fetchAll(
      database, sql: "SELECT key FROM participants WHERE merged_into = ?", arguments: [key])
    for participant in Set(former + now + [key]) {
      try refreshWords(of: participant, in: database)
      let takes = try Int64.fetchAll(
        database, sql: "SELECT DISTINCT take FROM tracks WHERE participant = ?", arguments: [participant])
      for take in takes { try SearchRecord.refresh(take: take, in: database) }
    }
  }

  /// Updates the search words of the person to whom the participant belongs.
  static func refreshWords(of participant: Int64, in database: Database) throws {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(sql: "SELECT merged_into, name, given_name FROM participants WHERE key = ?"),
        arguments: [participant])
    else { return }
    if let person = try row.decode(Int64?.self, atIndex: 0) {
      try SearchRecord.remove(participant, from: .people, of: database)
      return try refreshWords(of: person, in: database)
    }
    let texts = try names(of: participant, in: database).map(\.description)
    let shown = try (1...2).compactMap { try row.decode(String?.self, atIndex: $0) }
    try SearchRecord.store(SearchWords.of(texts + shown), at: participant, in: .people, of: database)
  }

  /// All names used by the person, in order.
  private static func names(of key: Int64, in database: Database) throws -> [DisplayName] {
    let find = try database.cachedStatement(
      sql: """
        SELECT name FROM participant_names WHERE participant = ?1
        UNION
        SELECT participant_names.name FROM participants
        CROSS JOIN participant_names ON participant_names.participant = participants.key
        WHERE participants.merged_into = ?1
        """)
    return try Row.fetchAll(find, arguments: [key]).map { try $0.displayName(at: 0) }.sorted()
  }

  private static func merged(into key: Int64, in database: Database) throws -> [ParticipantID] {
    try ParticipantID.fetchAll(
      database.cachedStatement(sql: "SELECT id FROM participants WHERE merged_into = ? ORDER BY id"),
      arguments: [key])
  }
}
