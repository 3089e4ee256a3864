package typealias BookCondition = Condition<BookTerm>

/// The two lists of the song book.
package enum BookKind: Hashable, Sendable {
  case songs, people
}

/// One statement about a song or a person. What the other kind has holds for none.
package enum BookTerm: QueryTerm {
  case word(String)
  case phrase(String)
  case named(NameField, NamePattern)
  /// As `word`, in texts of one kind.
  case textWord(TextField, String)
  /// As `phrase`, in texts of one kind.
  case textPhrase(TextField, String)
  case absent(AbsentField)
  /// The number of takes that are not in the trash.
  case takes(ClosedRange<Int>)
  /// The beginning of its identifier, in upper case.
  case id(String)

  /// A field whose values are names: compared as a whole, regardless of case, accents and apostrophes.
  package enum NameField: String, Hashable, Sendable, CaseIterable {
    /// The song's title.
    case song
    case key
    /// Any name that the person has used or was given.
    case participant
  }

  /// A field whose values are texts: compared word by word.
  package enum TextField: String, Hashable, Sendable, CaseIterable {
    case title, composer, note
    /// Any name that the person has used or was given.
    case name
  }

  /// A field that a song may lack: `key:none`.
  package enum AbsentField: String, Hashable, Sendable, CaseIterable {
    case composer, key, note
  }

  package var description: String {
    switch self {
    case .word(let text): text
    case .phrase(let text): CanonicalText.quoted(text)
    case .named(let field, let pattern):
      "\(field.rawValue):\(CanonicalText.quoted(pattern.text))\(pattern.isBeginning ? "*" : "")"
    case .textWord(let field, let text): "\(field.rawValue):\(text)"
    case .textPhrase(let field, let text): "\(field.rawValue):\(CanonicalText.quoted(text))"
    case .absent(let field): "\(field.rawValue):none"
    case .takes(let range): "takes:\(CanonicalText.range(range, of: 0...TakeTerm.greatestCount) { "\($0)" })"
    case .id(let prefix): "id:\(prefix)"
    }
  }
}

/// A list of songs by title or of people by name; newest first if there is a condition.
package struct BookQuery: Hashable, Sendable {
  package var condition: BookCondition?
  /// The only room whose takes are counted, and of songs, the one whose takes have them; nil for all.
  package var room: RoomName?
  /// 1 to 200.
  package var limit: Int
  /// The `next` of the previous page, from a list with the same condition; nil for the first page.
  package var cursor: String?

  package init(condition: BookCondition? = nil, room: RoomName? = nil, limit: Int = 50, cursor: String? = nil) {
    self.condition = condition
    self.room = room
    self.limit = limit
    self.cursor = cursor
  }
}
