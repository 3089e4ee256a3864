import GRDB
import Music

/// Makes the plan of a condition, with the keys of the rooms, songs, people and tags that it names.
struct ConditionPlanner {
  let database: Database
  let table: SearchRecord.Table

  /// More rooms, songs, people or tags than this are found through the takes: an expression of the full-text index grows
  /// with them.
  private static let mostFacets = 500

  /// - Throws: `CatalogError.value` for a text of too many words.
  func plan(_ condition: TakeCondition) throws -> ConditionPlan {
    switch condition {
    case .term(let term): try plan(term)
    case .not(let inner): .none(of: try plan(inner))
    case .all(let parts): .every(try parts.map(plan))
    case .any(let parts): .some(try parts.map(plan))
    }
  }

  private func plan(_ term: TakeTerm) throws -> ConditionPlan {
    switch term {
    case .word(let text): try .beginnings(of: text)
    case .phrase(let text): .phrase(text) { Self.anywhere }
    case .textWord(let field, let text): try .beginnings(of: text, in: Self.places(field))
    case .textPhrase(let field, let text): .phrase(text, isAlwaysChecked: true) { Self.places(field) }
    case .named(let field, let pattern): try named(field, pattern)
    case .absent(let field): Self.absent(field)
    case .session(let id):
      try SessionRecord.key(of: id, in: database).map { Self.facets([SearchFacet.session($0)]) } ?? .never
    case .state(let state): Self.facets([SearchFacet.state(state)])
    case .favourite(let isFavourite): Self.facets([SearchFacet.favourite(isFavourite)])
    case .id(let prefix):
      TakeID.range(beginningWith: prefix).map {
        .rows(.init("(takes.id BETWEEN ? AND ?)", [$0.lowerBound, $0.upperBound]))
      } ?? .never
    case .rating(let range): Self.rating(range)
    case .count(let field, let range):
      .rows(.init("(\(Self.count(field)) BETWEEN ? AND ?)", [range.lowerBound, range.upperBound]))
    case .duration(let range):
      .rows(
        .init(
          "(takes.length IS NOT NULL AND takes.length / \(SamplePosition.rate / 1_000) BETWEEN ? AND ?)",
          [range.lowerBound, range.upperBound]))
    case .after(let time): .rows(.init("(takes.started_at >= ?)", [time]))
    case .before(let time): .rows(.init("(takes.started_at < ?)", [time]))
    }
  }

  // MARK: Words of the index

  private static func facets(_ facets: [String]) -> ConditionPlan { .some(facets.map { .words("\"\($0)\"") }) }

  /// One of these keys, as words of the index or in a column of the take.
  private static func facets(_ keys: [Int64], _ facet: (Int64) -> String, orIn column: String) -> ConditionPlan {
    guard keys.count > mostFacets else { return facets(keys.map(facet)) }
    return .rows(.init("(\(column) IN (SELECT value FROM json_each(?)))", [list(keys)]))
  }

  /// As JSON: one value however many they are.
  private static func list(_ keys: some Collection<Int64>) -> String {
    "[\(keys.map { "\($0)" }.joined(separator: ","))]"
  }

  private static func rating(_ range: ClosedRange<Int>) -> ConditionPlan {
    let least = facets([SearchFacet.rating(atLeast: range.lowerBound)])
    guard range.upperBound < TakeAnnotations.ratings.upperBound else { return least }
    return .every([least, .none(of: facets([SearchFacet.rating(atLeast: range.upperBound + 1)]))])
  }

  // MARK: Texts

  private static let cues = TextPlace(
    columns: ["jamjar_words(cues.text)"], tables: "cues WHERE cues.take = takes.key")
  /// What `SearchRecord.refresh` puts into the index.
  private static let anywhere = [
    TextPlace(columns: [
      "jamjar_words(takes.title)", "jamjar_words(takes.notes)", "jamjar_lines(takes.tags)", "jamjar_words(songs.title)",
    ]),
    TextPlace(
      columns: ["tracks.name", "tracks.part", "persons.name", "persons.given_name"].map { "jamjar_words(\($0))" },
      tables: """
        tracks
        CROSS JOIN participants ON participants.key = tracks.participant
        CROSS JOIN participants persons ON persons.key = coalesce(participants.merged_into, participants.key)
        WHERE tracks.take = takes.key
        """),
    cues,
  ]

  private static func places(_ field: TakeTerm.TextField) -> [TextPlace] {
    switch field {
    case .title: [TextPlace(columns: ["jamjar_words(takes.title)"])]
    case .note: [TextPlace(columns: ["jamjar_words(takes.notes)"])]
    case .cue: [cues]
    }
  }

  private static func absent(_ field: TakeTerm.AbsentField) -> ConditionPlan {
    switch field {
    case .song: .rows(.init("(takes.song IS NULL)"))
    case .tag: .rows(.init("(takes.tags IS NULL)"))
    case .title: .rows(.init("(takes.title IS NULL)"))
    case .note: .rows(.init("(takes.notes IS NULL)"))
    case .cue: .rows(.init("(NOT EXISTS (SELECT 1 FROM cues WHERE cues.take = takes.key))"))
    case .rating: .none(of: facets([SearchFacet.rating(atLeast: TakeAnnotations.ratings.lowerBound)]))
    }
  }

  private static func count(_ field: TakeTerm.CountField) -> String {
    switch field {
    case .number: "takes.number"
    case .tracks: "takes.track_count"
    case .gaps:
      """
      (SELECT count(*) FROM tracks CROSS JOIN gaps ON gaps.track = tracks.key WHERE tracks.take = takes.key)
      """
    }
  }

  // MARK: Names

  private func named(_ field: TakeTerm.NameField, _ pattern: NamePattern) throws -> ConditionPlan {
    let wanted = SearchWords.name(pattern.text)
    guard !wanted.isEmpty else { return .never }
    func fits(_ name: String) -> Bool {
      let name = SearchWords.name(name)
      return pattern.isBeginning ? name.hasPrefix(wanted) : name == wanted
    }
    switch field {
    case .room:
      return Self.facets(
        try keys("SELECT key, name FROM rooms", fits), SearchFacet.room, orIn: "takes.room")
    case .tag:
      let keys = try keys("SELECT key, folded FROM tags", fits)
      guard keys.count > Self.mostFacets else { return Self.facets(keys.map(SearchFacet.tag)) }
      // So many only begin so: one name is one tag.
      return .rows(.init("(coalesce(instr(jamjar_names(takes.tags), ?), 0) > 0)", ["\n" + wanted]))
    case .song:
      var keys = try keys("SELECT songs.key, title FROM songs", of: .songs, pattern.text, fits)
      if let id = SongID(pattern.text), let key = try SongRecord.find(id, in: database)?.key { keys.append(key) }
      return Self.facets(Set(keys).sorted(), SearchFacet.song, orIn: "takes.song")
    case .participant:
      var keys = Set<Int64>()
      for column in ["name", "given_name"] {
        keys.formUnion(
          try self.keys(
            "SELECT participants.key, \(column) FROM participants", of: .people, pattern.text, fits))
      }
      keys.formUnion(try keysOfFormerNames(pattern.text, fits))
      if let id = ParticipantID(pattern.text), let key = try PersonRecord.key(of: id, in: database) {
        keys.insert(key)
      }
      guard keys.count > Self.mostFacets else { return Self.facets(keys.sorted().map(SearchFacet.person)) }
      return .rows(
        .init(
          """
          (takes.key IN (
            SELECT tracks.take FROM participants CROSS JOIN tracks ON tracks.participant = participants.key
            WHERE coalesce(participants.merged_into, participants.key) IN (SELECT value FROM json_each(?))))
          """, [Self.list(keys)]))
    }
  }

  /// The keys of rows (key, name) with fitting names.
  private func keys(
    _ sql: String, arguments: StatementArguments = [], _ fits: (String) -> Bool
  ) throws -> [Int64] {
    var keys: [Int64] = []
    let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
    while let row = try rows.next() {
      if let name = try row.decode(String?.self, atIndex: 1), fits(name) { keys.append(try row.decode(atIndex: 0)) }
    }
    return keys
  }

  /// The same among rows that have the words of `text`; of all rows if it has none.
  private func keys(
    _ sql: String, of table: SearchRecord.Table, _ text: String, _ fits: (String) -> Bool
  ) throws -> [Int64] {
    var match = MatchExpression()
    guard try match.add(text: text) else { return try keys(sql, fits) }
    let key = table == .songs ? "songs.key" : "participants.key"
    return try keys(
      "\(sql) WHERE \(key) IN (SELECT rowid FROM \(table.rawValue) WHERE \(table.rawValue) MATCH ?)",
      arguments: [match.text], fits)
  }

  /// People by every name that they or those merged into them used in a take.
  private func keysOfFormerNames(_ text: String, _ fits: (String) -> Bool) throws -> [Int64] {
    let sql = """
      SELECT coalesce(participants.merged_into, participants.key), participant_names.name
      FROM participants CROSS JOIN participant_names ON participant_names.participant = participants.key
      """
    var match = MatchExpression()
    guard try match.add(text: text) else { return try keys(sql, fits) }
    return try keys(
      """
      \(sql) WHERE coalesce(participants.merged_into, participants.key) IN (
        SELECT rowid FROM person_words WHERE person_words MATCH ?)
      """, arguments: [match.text], fits)
  }
}
