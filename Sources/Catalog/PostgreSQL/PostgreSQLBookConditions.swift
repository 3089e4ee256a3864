import Music

/// Makes SQL of a condition on songs or people: the counterpart of `BookPlanner`.
struct PostgreSQLBookConditions {
  let book: BookKind
  /// The only room whose takes are counted.
  let room: RoomName?

  private var words: String { "\(book.table).words" }
  private var texts: PostgreSQLTexts { book == .songs ? .ofSongs : .ofPeople }

  /// - Throws: `CatalogError.value` for a text of too many words.
  func clause(_ condition: BookCondition) throws -> PostgreSQLClause {
    switch condition {
    case .term(let term): try clause(term)
    case .not(let inner): .not(try clause(inner))
    case .all(let parts): .every(try parts.map(clause))
    case .any(let parts): .some(try parts.map(clause))
    }
  }

  private func clause(_ term: BookTerm) throws -> PostgreSQLClause {
    switch term {
    case .word(let text): try PostgreSQLWords.beginnings(of: text, in: words)
    case .phrase(let text): texts.phrase(text, in: nil, words: words)
    case .textWord(let field, let text): try texts.beginnings(of: text, in: fields(field), words: words)
    case .textPhrase(let field, let text): texts.phrase(text, in: fields(field), words: words)
    case .named(let field, let pattern): named(field, pattern)
    case .absent(let field): absent(field)
    case .takes(let range): takes(range)
    case .id(let prefix):
      ParticipantID.range(beginningWith: prefix).map {
        PostgreSQLClause("\(book.table).id BETWEEN ? AND ?", [$0.lowerBound, $0.upperBound])
      } ?? .nothing
    }
  }

  /// None if the book does not have the field, which then holds for nothing.
  private func fields(_ field: BookTerm.TextField) -> [String] {
    switch (field, book) {
    case (.title, .songs), (.composer, .songs), (.note, .songs), (.name, .people): [field.rawValue]
    default: []
    }
  }

  private func absent(_ field: BookTerm.AbsentField) -> PostgreSQLClause {
    guard book == .songs else { return .nothing }
    return switch field {
    case .composer: PostgreSQLClause("songs.composers IS NULL")
    case .key: PostgreSQLClause("songs.musical_key IS NULL")
    case .note: PostgreSQLClause("songs.notes IS NULL")
    }
  }

  private func named(_ field: BookTerm.NameField, _ pattern: NamePattern) -> PostgreSQLClause {
    let fields: [String] =
      switch (field, book) {
      case (.song, .songs): ["title"]
      case (.key, .songs): ["key"]
      case (.participant, .people): ["name"]
      default: []
      }
    let wanted = SearchWords.name(pattern.text)
    // No name has control characters, and PostgreSQL cannot be asked for a zero.
    guard !fields.isEmpty, !wanted.isEmpty,
      wanted.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { return .nothing }
    var parts = [texts.named(wanted, isBeginning: pattern.isBeginning, in: fields)]
    // The index narrows it down: a name has its words.
    let narrow = SearchWords.split(pattern.text).prefix(MatchExpression.maximumWords)
    if !narrow.isEmpty { parts.append(PostgreSQLWords.beginnings(Array(narrow), in: words)) }
    let found = PostgreSQLClause.every(parts)
    return identified(field, pattern).map { .some([found, $0]) } ?? found
  }

  /// The song or person whose identifier stands in place of a name.
  private func identified(_ field: BookTerm.NameField, _ pattern: NamePattern) -> PostgreSQLClause? {
    guard !pattern.isBeginning else { return nil }
    switch field {
    case .song: return SongID(pattern.text).map { PostgreSQLClause("songs.id = ?", [$0]) }
    case .participant:
      return ParticipantID(pattern.text).map {
        PostgreSQLClause(
          """
          coalesce(participants.key = (
            SELECT coalesce(others.merged_into, others.key) FROM participants others WHERE others.id = ?), false)
          """, [$0])
      }
    case .key: return nil
    }
  }

  private func takes(_ range: ClosedRange<Int>) -> PostgreSQLClause {
    let inRoom = room == nil ? "" : " AND takes.room = (SELECT key FROM rooms WHERE name = ?)"
    let count =
      switch book {
      case .songs: "SELECT count(*) FROM takes WHERE takes.song = songs.key AND takes.deleted_at IS NULL\(inRoom)"
      case .people:
        """
        SELECT count(DISTINCT takes.key)
        FROM participants others
        JOIN tracks ON tracks.participant = others.key
        JOIN takes ON takes.key = tracks.take
        WHERE (others.key = participants.key OR others.merged_into = participants.key)
          AND takes.deleted_at IS NULL\(inRoom)
        """
      }
    let rooms: [(any PostgreSQLValue)?] = room.map { [RoomRecord.key($0)] } ?? []
    return PostgreSQLClause("((\(count)) BETWEEN ? AND ?)", rooms + [range.lowerBound, range.upperBound])
  }
}
