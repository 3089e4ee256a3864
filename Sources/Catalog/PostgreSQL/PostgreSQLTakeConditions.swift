import Music

/// Makes SQL of a condition on takes, with the keys of the rooms, songs, people and tags that it names: the counterpart
/// of `ConditionPlanner`.
struct PostgreSQLTakeConditions {
  let database: PostgreSQLConnection

  private static let words = "takes.words"

  /// - Throws: `CatalogError.value` for a text of too many words.
  func clause(_ condition: TakeCondition) throws -> PostgreSQLClause {
    switch condition {
    case .term(let term): try clause(term)
    case .not(let inner): .not(try clause(inner))
    case .all(let parts): .every(try parts.map(clause))
    case .any(let parts): .some(try parts.map(clause))
    }
  }

  private func clause(_ term: TakeTerm) throws -> PostgreSQLClause {
    let texts = PostgreSQLTexts.ofTakes
    switch term {
    case .word(let text): return try PostgreSQLWords.beginnings(of: text, in: Self.words)
    case .phrase(let text): return texts.phrase(text, in: nil, words: Self.words)
    case .textWord(let field, let text):
      return try texts.beginnings(of: text, in: [field.rawValue], words: Self.words)
    case .textPhrase(let field, let text): return texts.phrase(text, in: [field.rawValue], words: Self.words)
    case .named(let field, let pattern): return try named(field, pattern)
    case .absent(let field): return Self.absent(field)
    case .session(let id):
      guard let key = try PostgreSQLSessions.key(of: id, in: database) else { return .nothing }
      return PostgreSQLClause("takes.session = ?", [key])
    case .state(let state): return PostgreSQLClause("takes.state = ?", [state])
    case .favourite(let isFavourite): return PostgreSQLClause("takes.is_favourite = ?", [isFavourite])
    case .id(let prefix):
      guard let range = TakeID.range(beginningWith: prefix) else { return .nothing }
      return PostgreSQLClause("takes.id BETWEEN ? AND ?", [range.lowerBound, range.upperBound])
    case .rating(let range):
      return PostgreSQLClause("takes.rating BETWEEN ? AND ?", [max(1, range.lowerBound), range.upperBound])
    case .count(let field, let range):
      return PostgreSQLClause("(\(Self.count(field))) BETWEEN ? AND ?", [range.lowerBound, range.upperBound])
    case .duration(let range):
      return PostgreSQLClause(
        "(takes.length IS NOT NULL AND takes.length / \(SamplePosition.rate / 1_000) BETWEEN ? AND ?)",
        [range.lowerBound, range.upperBound])
    case .after(let time): return PostgreSQLClause("takes.started_at >= ?", [time])
    case .before(let time): return PostgreSQLClause("takes.started_at < ?", [time])
    }
  }

  private static func absent(_ field: TakeTerm.AbsentField) -> PostgreSQLClause {
    switch field {
    case .song: PostgreSQLClause("takes.song IS NULL")
    case .tag: PostgreSQLClause("takes.tags IS NULL")
    case .title: PostgreSQLClause("takes.title IS NULL")
    case .note: PostgreSQLClause("takes.notes IS NULL")
    case .cue: PostgreSQLClause("NOT EXISTS (SELECT 1 FROM cues WHERE cues.take = takes.key)")
    case .rating: PostgreSQLClause("takes.rating = 0")
    }
  }

  private static func count(_ field: TakeTerm.CountField) -> String {
    switch field {
    case .number: "takes.number"
    case .tracks: "takes.track_count"
    case .gaps:
      "SELECT count(*) FROM tracks JOIN gaps ON gaps.track = tracks.key WHERE tracks.take = takes.key"
    }
  }

  // MARK: Names

  private func named(_ field: TakeTerm.NameField, _ pattern: NamePattern) throws -> PostgreSQLClause {
    let wanted = SearchWords.name(pattern.text)
    guard !wanted.isEmpty else { return .nothing }
    func fits(_ name: String) -> Bool {
      let name = SearchWords.name(name)
      return pattern.isBeginning ? name.hasPrefix(wanted) : name == wanted
    }
    switch field {
    case .room: return .any(try keys("SELECT key, name FROM rooms", fits), of: "takes.room")
    case .tag: return facets(try keys("SELECT key, folded FROM tags", fits).map(SearchFacet.tag))
    case .song:
      var keys = try keys("SELECT key, title FROM songs", words: "words", of: pattern.text, fits)
      if let id = SongID(pattern.text), let key = try PostgreSQLSongs.find(id, in: database)?.key { keys.append(key) }
      return .any(Set(keys).sorted(), of: "takes.song")
    case .participant:
      var keys: Set<Int64> = []
      for name in ["participants.name", "participants.given_name", "participant_names.name"] {
        keys.formUnion(
          try self.keys(
            """
            SELECT persons.key, \(name) FROM participants
            JOIN participants persons ON persons.key = coalesce(participants.merged_into, participants.key)
            LEFT JOIN participant_names ON participant_names.participant = participants.key
            """, words: "persons.words", of: pattern.text, fits))
      }
      if let id = ParticipantID(pattern.text), let key = try PostgreSQLPeople.key(of: id, in: database) {
        keys.insert(key)
      }
      return facets(keys.sorted().map(SearchFacet.person))
    }
  }

  /// One of these words.
  private func facets(_ facets: [String]) -> PostgreSQLClause {
    guard !facets.isEmpty else { return .nothing }
    return PostgreSQLClause(
      "\(Self.words) @@ ?::tsquery", [facets.map { "'\($0)'" }.joined(separator: " | ")])
  }

  /// The keys of rows (key, name) with fitting names, among rows that have the words of `text`; of all rows if it has
  /// none.
  private func keys(
    _ sql: String, words column: String? = nil, of text: String = "", _ fits: (String) -> Bool
  ) throws -> [Int64] {
    var clause = PostgreSQLClause(sql)
    if let column, !SearchWords.split(text).isEmpty {
      let narrow = try PostgreSQLWords.beginnings(of: text, in: column)
      clause = PostgreSQLClause("\(sql) WHERE \(narrow.sql)", narrow.values)
    }
    return try database.all(clause.numbered, clause.values) { row -> Int64? in
      guard let name = row.text(1), fits(name) else { return nil }
      return try row[0]
    }.compactMap(\.self)
  }
}
