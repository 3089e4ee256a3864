/// The fields of songs.
enum SongField: String, QueryField, CaseIterable {
  case song, key, title, composer, note, takes, id

  static let known = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }
  static let others = ["composers": "composer", "notes": "note", "take": "takes"]

  func condition(_ value: QueryValue, now _: WallTime) throws(QueryProblem) -> BookCondition {
    if value.isNone, let absent = BookTerm.AbsentField(rawValue: rawValue) { return .term(.absent(absent)) }
    switch self {
    case .song: return .term(.named(.song, value.name))
    case .key: return .term(.named(.key, value.name))
    case .title: return .term(try .text(.title, value))
    case .composer: return .term(try .text(.composer, value))
    case .note: return .term(try .text(.note, value))
    case .takes: return .term(try .takes(in: value))
    case .id: return .term(try .id(in: value, "song"))
    }
  }
}

/// The fields of people.
enum PersonField: String, QueryField, CaseIterable {
  case participant, name, takes, id

  static let known = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }
  static let others = ["musician": "participant", "person": "participant", "names": "name", "take": "takes"]

  func condition(_ value: QueryValue, now _: WallTime) throws(QueryProblem) -> BookCondition {
    switch self {
    case .participant: return .term(.named(.participant, value.name))
    case .name: return .term(try .text(.name, value))
    case .takes: return .term(try .takes(in: value))
    case .id: return .term(try .id(in: value, "person"))
    }
  }
}

extension BookTerm {
  fileprivate static func text(_ field: TextField, _ value: QueryValue) throws(QueryProblem) -> BookTerm {
    try value.text({ .textWord(field, $0) }, phrase: { .textPhrase(field, $0) })
  }

  fileprivate static func takes(in value: QueryValue) throws(QueryProblem) -> BookTerm {
    .takes(try value.withoutBeginning().count())
  }

  fileprivate static func id(in value: QueryValue, _ kind: String) throws(QueryProblem) -> BookTerm {
    .id(try value.withoutBeginning().identifier(kind))
  }
}
