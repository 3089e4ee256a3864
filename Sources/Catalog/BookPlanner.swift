import GRDB
import Music

/// Makes the plan of a condition on songs or people.
struct BookPlanner {
  let book: BookKind
  /// The only room whose takes are counted.
  let room: RoomName?

  /// - Throws: `CatalogError.value` for a text of too many words.
  func plan(_ condition: BookCondition) throws -> ConditionPlan {
    switch condition {
    case .term(let term): try plan(term)
    case .not(let inner): .not(try plan(inner))
    case .all(let parts): .every(try parts.map(plan))
    case .any(let parts): .some(try parts.map(plan))
    }
  }

  private func plan(_ term: BookTerm) throws -> ConditionPlan {
    switch term {
    case .word(let text): try .beginnings(of: text)
    case .phrase(let text): .phrase(text) { texts }
    case .textWord(let field, let text): try .beginnings(of: text, in: places(field))
    case .textPhrase(let field, let text): .phrase(text, isAlwaysChecked: true) { places(field) }
    case .named(let field, let pattern): named(field, pattern)
    case .absent(let field): absent(field)
    case .takes(let range): takes(range)
    case .id(let prefix):
      ParticipantID.range(beginningWith: prefix).map {
        .rows(.init("(\(book.table).id BETWEEN ? AND ?)", [$0.lowerBound, $0.upperBound]))
      } ?? .never
    }
  }

  // MARK: Texts

  private static func words(_ columns: [String]) -> [String] { columns.map { "jamjar_words(\($0))" } }

  /// Every name of a person and of those merged into them, as `PersonRecord.refreshWords` has them.
  private static func names(_ function: String) -> [TextPlace] {
    func called(_ columns: String...) -> [String] { columns.map { "\(function)(\($0))" } }
    return [
      TextPlace(columns: called("participants.name", "participants.given_name")),
      TextPlace(
        columns: called("participant_names.name"),
        tables: "participant_names WHERE participant_names.participant = participants.key"),
      TextPlace(
        columns: called("participant_names.name"),
        tables: """
          participants others CROSS JOIN participant_names ON participant_names.participant = others.key
          WHERE others.merged_into = participants.key
          """),
    ]
  }

  /// All texts.
  private var texts: [TextPlace] {
    switch book {
    case .songs:
      [
        TextPlace(
          columns: Self.words(["songs.title", "songs.musical_key", "songs.notes"]) + ["jamjar_lines(songs.composers)"])
      ]
    case .people: Self.names("jamjar_words")
    }
  }

  /// Of no column if the book does not have the field, which then holds for nothing.
  private func places(_ field: BookTerm.TextField) -> [TextPlace] {
    switch (field, book) {
    case (.title, .songs): [TextPlace(columns: Self.words(["songs.title"]))]
    case (.composer, .songs): [TextPlace(columns: ["jamjar_lines(songs.composers)"])]
    case (.note, .songs): [TextPlace(columns: Self.words(["songs.notes"]))]
    case (.name, .people): Self.names("jamjar_words")
    default: []
    }
  }

  private func absent(_ field: BookTerm.AbsentField) -> ConditionPlan {
    guard book == .songs else { return .never }
    return switch field {
    case .composer: .rows(.init("(songs.composers IS NULL)"))
    case .key: .rows(.init("(songs.musical_key IS NULL)"))
    case .note: .rows(.init("(songs.notes IS NULL)"))
    }
  }

  // MARK: Names and numbers

  private func named(_ field: BookTerm.NameField, _ pattern: NamePattern) -> ConditionPlan {
    let places: [TextPlace] =
      switch (field, book) {
      case (.song, .songs): [TextPlace(columns: ["jamjar_names(songs.title)"])]
      case (.key, .songs): [TextPlace(columns: ["jamjar_names(songs.musical_key)"])]
      case (.participant, .people): Self.names("jamjar_names")
      default: []
      }
    let wanted = SearchWords.name(pattern.text)
    // No name has control characters, and SQLite would take a zero for the end.
    guard !places.isEmpty, !wanted.isEmpty,
      wanted.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { return .never }
    let rows = TextPlace.rows(
      places, where: { "coalesce(instr(\($0) || char(10), ?), 0) > 0" },
      "\n\(wanted)\(pattern.isBeginning ? "" : "\n")")
    // The index narrows it down: a name has its words.
    let words = Set(SearchWords.split(pattern.text)).sorted().prefix(MatchExpression.maximumWords)
      .map { "\"\($0)\" *" }
    let found: ConditionPlan =
      words.isEmpty ? .rows(rows) : .every([.words("(\(words.joined(separator: " AND ")))"), .rows(rows)])
    return identified(field, pattern).map { .some([found, .rows($0)]) } ?? found
  }

  /// The song or person whose identifier stands in place of a name.
  private func identified(_ field: BookTerm.NameField, _ pattern: NamePattern) -> ConditionPlan.Rows? {
    guard !pattern.isBeginning else { return nil }
    switch field {
    case .song: return SongID(pattern.text).map { .init("(songs.id = ?)", [$0]) }
    case .participant:
      return ParticipantID(pattern.text).map {
        .init(
          """
          (participants.key = (
            SELECT coalesce(others.merged_into, others.key) FROM participants others WHERE others.id = ?))
          """, [$0])
      }
    case .key: return nil
    }
  }

  private func takes(_ range: ClosedRange<Int>) -> ConditionPlan {
    let inRoom = room == nil ? "" : " AND takes.room = (SELECT key FROM rooms WHERE name = ?)"
    let count =
      switch book {
      case .songs:
        """
        SELECT count(*) FROM takes WHERE takes.song = songs.key AND takes.deleted_at IS NULL\(inRoom)
        """
      case .people:
        """
        SELECT count(DISTINCT takes.key)
        FROM participants others
        CROSS JOIN tracks ON tracks.participant = others.key
        CROSS JOIN takes ON takes.key = tracks.take
        WHERE (others.key = participants.key OR others.merged_into = participants.key)
          AND takes.deleted_at IS NULL\(inRoom)
        """
      }
    let rooms: [any DatabaseValueConvertible] = room.map { [RoomRecord.key($0)] } ?? []
    return .rows(.init("((\(count)) BETWEEN ? AND ?)", rooms + [range.lowerBound, range.upperBound]))
  }
}

extension BookKind {
  var table: String {
    switch self {
    case .songs: "songs"
    case .people: "participants"
    }
  }

  /// The words of its rows.
  var words: SearchRecord.Table {
    switch self {
    case .songs: .songs
    case .people: .people
    }
  }
}
