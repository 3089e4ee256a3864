package typealias TakeCondition = Condition<TakeTerm>

/// One statement about a take.
package enum TakeTerm: QueryTerm {
  /// Every word of the text begins a word of one of the take's texts.
  case word(String)
  /// The words stand side by side, whole and in this order, in one of the take's texts.
  case phrase(String)
  case named(NameField, NamePattern)
  /// As `word`, in texts of one kind.
  case textWord(TextField, String)
  /// As `phrase`, in texts of one kind.
  case textPhrase(TextField, String)
  case absent(AbsentField)
  case session(SessionID)
  case state(TakeState)
  case favourite(Bool)
  /// The beginning of its identifier, in upper case.
  case id(String)
  case rating(ClosedRange<Int>)
  case count(CountField, ClosedRange<Int>)
  /// In whole milliseconds; a take whose length is unknown has none.
  case duration(ClosedRange<Int64>)
  /// Started then or later, in whole milliseconds.
  case after(WallTime)
  case before(WallTime)

  /// A field whose values are names: compared as a whole, regardless of case, accents and apostrophes.
  package enum NameField: String, Hashable, Sendable, CaseIterable {
    case room, song, participant, tag
  }

  /// A field whose values are texts: compared word by word.
  package enum TextField: String, Hashable, Sendable, CaseIterable {
    case title, note, cue
  }

  /// A field that a take may lack: `song:none`.
  package enum AbsentField: String, Hashable, Sendable, CaseIterable {
    case song, tag, rating, title, note, cue
  }

  package enum CountField: String, Hashable, Sendable, CaseIterable {
    /// The take's number in its room and song.
    case number
    case tracks
    /// Gaps of all its tracks.
    case gaps
  }

  /// Greatest number in a range of counts.
  package static let greatestCount = 1_000_000_000
  /// Greatest length in a range, in milliseconds: eight digits of seconds, three years.
  package static let greatestDuration: Int64 = 99_999_999_999
}

/// A name to compare with.
package struct NamePattern: Hashable, Sendable {
  package var text: String
  /// True if the name only has to begin so.
  package var isBeginning: Bool

  package init(_ text: String, isBeginning: Bool = false) {
    self.text = text
    self.isBeginning = isBeginning
  }
}

// MARK: The canonical text

extension TakeTerm {
  package var description: String {
    switch self {
    case .word(let text): text
    case .phrase(let text): CanonicalText.quoted(text)
    case .named(let field, let pattern):
      "\(field.rawValue):\(CanonicalText.quoted(pattern.text))\(pattern.isBeginning ? "*" : "")"
    case .textWord(let field, let text): "\(field.rawValue):\(text)"
    case .textPhrase(let field, let text): "\(field.rawValue):\(CanonicalText.quoted(text))"
    case .absent(let field): "\(field.rawValue):none"
    case .session(let id): "session:\(id)"
    case .state(let state): "state:\(state.rawValue)"
    case .favourite(let isFavourite): "favourite:\(isFavourite ? "yes" : "no")"
    case .id(let prefix): "id:\(prefix)"
    case .rating(let range): "rating:\(CanonicalText.range(range, of: TakeAnnotations.ratings) { "\($0)" })"
    case .count(let field, let range):
      "\(field.rawValue):\(CanonicalText.range(range, of: 0...TakeTerm.greatestCount) { "\($0)" })"
    case .duration(let range):
      "duration:\(CanonicalText.range(range, of: 0...TakeTerm.greatestDuration, isSingle: false, TakeTerm.seconds))"
    case .after(let time): "after:\(time)"
    case .before(let time): "before:\(time)"
    }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let digits = "\(rest)"
    return "\(whole).\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits)"
  }
}
