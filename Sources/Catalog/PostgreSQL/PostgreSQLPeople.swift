import Music

/// The rows of `participants`: everyone with a track, and the persons whom they are.
enum PostgreSQLPeople {
  /// Adds or renames the participant, who used their name at `time`; returns the row's key.
  static func store(
    _ participant: Participant, at time: WallTime, in database: PostgreSQLConnection
  ) throws -> Int64 {
    let name = participant.name.description
    let known = try database.all(
      "SELECT key, name, named_at, given_name FROM participants WHERE id = $1", [participant.id]
    ) { (key: try $0[0] as Int64, name: $0.text(1), at: try $0[2] as Int64, given: $0.text(3)) }.first
    guard let known else {
      let key = try database.integer(
        "INSERT INTO participants (id, name, named_at, folded_name) VALUES ($1, $2, $3, $4) RETURNING key",
        [participant.id, name, time, SongRecord.folded(name)])
      guard let key else { throw CatalogError.conflict("a participant got no key") }
      try remember(name, of: key, in: database)
      return key
    }
    if known.at <= time.milliseconds {
      try database.execute(
        "UPDATE participants SET name = $1, named_at = $2, folded_name = $3 WHERE key = $4",
        [name, time, SongRecord.folded(known.given ?? name), known.key])
      if known.name != name { try refreshWords(of: known.key, in: database) }
    }
    try remember(name, of: known.key, in: database)
    return known.key
  }

  private static func remember(_ name: String, of key: Int64, in database: PostgreSQLConnection) throws {
    let added = try database.execute(
      "INSERT INTO participant_names (participant, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", [key, name])
    if added > 0 { try refreshWords(of: key, in: database) }
  }

  /// Deletes a participant without tracks into whom nobody was merged.
  static func deleteIfLeft(_ key: Int64, in database: PostgreSQLConnection) throws {
    let uses = try database.integer(
      """
      SELECT (SELECT count(*) FROM (SELECT 1 FROM tracks WHERE participant = $1 LIMIT 1) AS used)
        + (SELECT count(*) FROM participants WHERE merged_into = $1)
      """, [key])
    guard uses == 0 else { return }
    let person = try database.integer("SELECT merged_into FROM participants WHERE key = $1", [key])
    try database.execute("DELETE FROM participants WHERE key = $1", [key])
    if let person {
      try deleteIfLeft(person, in: database)
      try refreshWords(of: person, in: database)
    }
  }

  /// The person with the identifier, now or formerly.
  static func find(_ id: ParticipantID, in database: PostgreSQLConnection) throws -> Person? {
    guard let key = try key(of: id, in: database) else { return nil }
    return try fetch("SELECT \(PersonRecord.columns) FROM participants WHERE key = $1", [key], in: database).first?.item
  }

  /// The key of the person with the identifier, now or formerly.
  static func key(of id: ParticipantID, in database: PostgreSQLConnection) throws -> Int64? {
    try database.integer("SELECT coalesce(merged_into, key) FROM participants WHERE id = $1", [id])
  }

  static func fetch(
    _ sql: String, _ values: [(any PostgreSQLValue)?], isRecurring: Bool = true, in database: PostgreSQLConnection
  ) throws -> [(item: Person, key: Int64, folded: String)] {
    let rows = try database.all(sql, values, isRecurring: isRecurring) { row in
      (
        key: try row[0] as Int64, id: try row.identifier(1) as ParticipantID, last: try row.displayName(2),
        given: row.isNull(3) ? nil : try row.displayName(3), revision: try row[4] as Int, folded: row.text(5) ?? ""
      )
    }
    return try rows.map { row in
      let person = Person(
        id: row.id, name: row.given ?? row.last, givenName: row.given, names: try names(of: row.key, in: database),
        merged: try merged(into: row.key, in: database), revision: row.revision)
      return (person, row.key, row.folded)
    }
  }

  /// Stores an edit: the name, the revision, and exactly these merged identifiers. Does nothing if the index knows
  /// none.
  static func store(_ person: Person, in database: PostgreSQLConnection) throws {
    let ids = [person.id] + person.merged
    let known = try ids.compactMap { try database.integer("SELECT key FROM participants WHERE id = $1", [$0]) }
    guard !known.isEmpty else { return }
    let folded = SongRecord.folded(person.name.description)
    try database.execute(
      "INSERT INTO participants (id, name, folded_name) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
      [person.id, person.name.description, folded])
    let key = try database.integer(
      """
      UPDATE participants SET given_name = $1, folded_name = $2, revision = $3, merged_into = NULL WHERE id = $4
      RETURNING key
      """, [person.givenName?.description, folded, person.revision, person.id])
    guard let key else { return }
    let former = try database.integers("SELECT key FROM participants WHERE merged_into = $1", [key])
    try database.execute("UPDATE participants SET merged_into = NULL WHERE merged_into = $1", [key])
    for id in person.merged {
      try database.execute(
        "UPDATE participants SET merged_into = $1, given_name = NULL, revision = 1 WHERE id = $2 AND key <> $1",
        [key, id])
    }
    let now = try database.integers("SELECT key FROM participants WHERE merged_into = $1", [key])
    for participant in Set(former + now + [key]) {
      try refreshWords(of: participant, in: database)
      let takes = try database.integers("SELECT DISTINCT take FROM tracks WHERE participant = $1", [participant])
      for take in takes { try PostgreSQLSearch.refresh(take: take, in: database) }
    }
  }

  /// Updates the search words of the person to whom the participant belongs.
  static func refreshWords(of participant: Int64, in database: PostgreSQLConnection) throws {
    let rows = try database.all("SELECT merged_into, name, given_name FROM participants WHERE key = $1", [participant])
    {
      (person: $0.integer(0), shown: [$0.text(1), $0.text(2)].compactMap(\.self))
    }
    guard let row = rows.first else { return }
    if let person = row.person {
      try PostgreSQLSearch.store([], of: participant, in: .people, of: database)
      return try refreshWords(of: person, in: database)
    }
    let texts = try names(of: participant, in: database).map(\.description) + row.shown
    let all = Set(texts).sorted().map { (field: "name", text: $0) }
    try PostgreSQLSearch.store(all, of: participant, in: .people, of: database)
  }

  /// All names used by the person, in order.
  private static func names(of key: Int64, in database: PostgreSQLConnection) throws -> [DisplayName] {
    try database.all(
      """
      SELECT name FROM participant_names WHERE participant = $1
      UNION
      SELECT participant_names.name FROM participants
      JOIN participant_names ON participant_names.participant = participants.key
      WHERE participants.merged_into = $1
      """, [key]
    ) { try $0.displayName(0) }.sorted()
  }

  private static func merged(into key: Int64, in database: PostgreSQLConnection) throws -> [ParticipantID] {
    try database.all("SELECT id FROM participants WHERE merged_into = $1 ORDER BY id", [key]) { try $0.identifier(0) }
  }
}
