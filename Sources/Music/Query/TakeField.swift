/// The fields of takes.
enum TakeField: QueryField {
  case name(TakeTerm.NameField)
  case text(TakeTerm.TextField)
  case count(TakeTerm.CountField)
  case session, state, favourite, id, rating, duration, after, before, date

  /// Every field by its name; the second names of some are for people who type them so.
  static let known: [String: TakeField] = {
    var known: [String: TakeField] = [
      "session": .session, "state": .state, "favourite": .favourite, "id": .id, "rating": .rating,
      "duration": .duration, "after": .after, "before": .before, "date": .date,
    ]
    for field in TakeTerm.NameField.allCases { known[field.rawValue] = .name(field) }
    for field in TakeTerm.TextField.allCases { known[field.rawValue] = .text(field) }
    for field in TakeTerm.CountField.allCases { known[field.rawValue] = .count(field) }
    return known
  }()

  static let others: [String: String] = [
    "favorite": "favourite", "notes": "note", "length": "duration", "started": "date", "musician": "participant",
    "cues": "cue", "tags": "tag", "stars": "rating", "track": "tracks", "gap": "gaps",
  ]

  func condition(_ value: QueryValue, now: WallTime) throws(QueryProblem) -> TakeCondition {
    switch self {
    case .name(let name):
      if value.isNone, let absent = TakeTerm.AbsentField(rawValue: name.rawValue) { return .term(.absent(absent)) }
      return .term(.named(name, value.name))
    case .text(let kind):
      if value.isNone, let absent = TakeTerm.AbsentField(rawValue: kind.rawValue) { return .term(.absent(absent)) }
      return .term(try value.text({ .textWord(kind, $0) }, phrase: { .textPhrase(kind, $0) }))
    default: break
    }
    let value = try value.withoutBeginning()
    switch self {
    case .session:
      guard let id = SessionID(value.text) else { throw value.problem("the id of a session, 26 characters") }
      return .term(.session(id))
    case .state:
      let states = TakeState.allCases.map(\.rawValue)
      guard let state = TakeState(rawValue: value.text.lowercased()) else {
        throw value.problem("one of \(states.joined(separator: ", "))", permitted: states)
      }
      return .term(.state(state))
    case .favourite:
      switch value.text.lowercased() {
      case "yes", "true": return .term(.favourite(true))
      case "no", "false": return .term(.favourite(false))
      default: throw value.problem("yes or no", permitted: ["yes", "no"])
      }
    case .id: return .term(.id(try value.identifier("take")))
    case .rating:
      if value.isNone { return .term(.absent(.rating)) }
      let expected = "1 to 5, a range such as 4.., ..3 or 2..3, or none"
      return .term(.rating(try value.range(in: TakeAnnotations.ratings, expected) { QueryValue.whole($0) }))
    case .count(let kind): return .term(.count(kind, try value.count()))
    case .duration: return .term(.duration(try value.durations()))
    case .after: return .term(.after(try QueryTime(value.text, now: now, in: value).start))
    case .before: return .term(.before(try QueryTime(value.text, now: now, in: value).start))
    case .date: return try value.dates(now: now)
    case .name, .text: throw value.problem("a name or a text")
    }
  }
}
