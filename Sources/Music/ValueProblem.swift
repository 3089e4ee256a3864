/// An invalid value from outside.
package struct ValueProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the field for users: "rating".
  package var field: String
  /// The given value, shortened.
  package var value: String
  /// The permitted values: "1 to 5".
  package var permitted: String

  package init(_ field: String, _ value: String, _ permitted: String) {
    self.field = field
    self.value = value.shortened(to: 80)
    self.permitted = permitted
  }

  package var description: String { "\(field) is \(value); permitted: \(permitted)" }
}

extension String {
  /// The first `most` scalars, for messages that repeat a text from outside: a single character has any number of them.
  package func shortened(to most: Int) -> String {
    guard utf8.count > most else { return self }
    return String(UnicodeScalarView(unicodeScalars.prefix(most)))
  }
}

/// A kind of text by users, with its limits: every door checks a text by its kind, so that all doors refuse the same.
///
/// Names have types of their own (`RoomName`, `DisplayName`).
package struct TextKind: Hashable, Sendable {
  /// What a kind permits besides visible characters.
  private enum Form: Hashable {
    /// One line without blanks at its ends, which lists and file names are made of.
    case label
    /// One line.
    case line
    /// Lines and tabs.
    case lines
    /// What programs write: lines, tabs, and marks that only matter where text is shown.
    case data
  }

  /// The name of the field for users: "title".
  package let field: String
  /// Most characters (grapheme clusters).
  package let characters: Int
  /// Most bytes of UTF-8.
  package let bytes: Int
  private let form: Form

  /// Most bytes of UTF-8 of one character. The longest emoji in use has 35; a character of combining marks has no end.
  package static let characterBytes = 128

  private init(_ field: String, characters: Int, bytes: Int? = nil, _ form: Form = .label) {
    self.field = field
    self.characters = characters
    self.bytes = bytes ?? characters * 8
    self.form = form
  }

  /// The title of a take or a song.
  package static let title = TextKind("title", characters: 200)
  package static let composer = TextKind("composers", characters: 200)
  /// The key of a song: "F# minor".
  package static let key = TextKind("key", characters: 32)
  package static let tag = TextKind("tags", characters: 64)
  package static let notes = TextKind("notes", characters: 20_000, .lines)
  /// The text of a cue; its bytes are those that the journal keeps of a text.
  package static let cue = TextKind("text", characters: 1_000, bytes: 4_096, .line)
  /// A message to the members of a room.
  package static let message = TextKind("text", characters: 2_000, .line)
  /// A message by a client of Kurento Room, which knows no limit: apps carry JSON in it.
  package static let kurentoMessage = TextKind("message", characters: 65_536, bytes: 65_536, .data)
  /// What a member's app says of them, for the others' apps: JSON as a rule.
  package static let meta = TextKind("meta", characters: 1_024, bytes: 1_024, .data)
  /// The capturing device of a backup.
  package static let device = TextKind("device", characters: 200, .line)

  /// Checks `text`.
  /// - Throws: `ValueProblem` that names the field and what is permitted.
  package func check(_ text: String) throws(ValueProblem) {
    // Bytes first: they bound the work of everything that follows.
    let size = text.utf8.count
    guard size > 0, size <= bytes else {
      throw problem(
        size == 0 ? "empty" : "\(size) bytes long", "1 to \(characters) characters, \(bytes) bytes at most")
    }
    let count = text.count
    guard count <= characters else { throw problem("\(count) characters long", "1 to \(characters) characters") }
    guard text.allSatisfy({ $0.utf8.count <= TextKind.characterBytes }) else {
      throw problem(
        "a text with a character of more than \(TextKind.characterBytes) bytes", "characters of fewer combining marks")
    }
    if let scalar = text.unicodeScalars.first(where: { !permits($0) }) {
      throw problem(
        "a text with the control character U+\(String(scalar.value, radix: 16, uppercase: true))",
        form == .lines || form == .data
          ? "a text whose only control characters are line breaks and tabs" : "one line of visible characters")
    }
    guard form != .label || text.first?.isWhitespace == false && text.last?.isWhitespace == false else {
      throw problem("\"\(text)\"", "a text without blanks at its ends")
    }
  }

  private func problem(_ value: String, _ permitted: String) -> ValueProblem { ValueProblem(field, value, permitted) }

  private func permits(_ scalar: Unicode.Scalar) -> Bool {
    switch form {
    case .label, .line: return !scalar.isControl
    case .lines: return scalar.isBreak || !scalar.isControl
    case .data: return scalar.isBreak || scalar.properties.generalCategory != .control
    }
  }

  /// `text` as a text of this kind, for clients that were promised one: on one line, and shortened with "…".
  package func fitted(_ text: String) -> String {
    do throws(ValueProblem) {
      try check(text)
      return text
    } catch {
      return shortened(text)
    }
  }

  private func shortened(_ text: String) -> String {
    var fitted = ""
    var (count, size) = (0, 0)
    // In place of the first character that does not fit, the mark takes one character of three bytes.
    let mark: Character = "…"
    for character in text {
      let next = character.unicodeScalars.allSatisfy(permits) ? character : " "
      guard next.utf8.count <= TextKind.characterBytes else { continue }
      count &+= 1
      size &+= next.utf8.count
      guard count < characters, size <= bytes &- 3 else { return fitted + String(mark) }
      fitted.append(next)
    }
    return fitted.isEmpty ? String(mark) : fitted
  }
}

extension Unicode.Scalar {
  /// True for line breaks and tabs.
  fileprivate var isBreak: Bool { self == "\n" || self == "\r" || self == "\t" }

  /// True for characters that move the cursor or end a line, and for those that reverse the text after them.
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Overrides and isolates. Marks such as U+200F and U+200C stay: Arabic, Hebrew and Persian are written with them.
    case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    default: false
    }
  }
}

/// The numbers accepted from files in the data folder, which may have been edited by hand.
///
/// These limits are far above real values, and far enough below 64 bits that increments, and sums over a whole file,
/// cannot overflow.
package enum NumberRule {
  /// For numbers of takes and tracks, and for revisions.
  package static let counters = 1...1_000_000_000
  /// For lengths of files.
  package static let bytes: ClosedRange<Int64> = 0...(1 << 60)

  /// Checks the number of a take or a track, or a revision.
  package static func counter(_ value: Int, field: String) throws(ValueProblem) {
    guard counters.contains(value) else { throw ValueProblem(field, "\(value)", "1 to 1,000,000,000") }
  }
}

extension Take {
  /// Checks the plausibility of the numbers of a take from a file.
  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func checkNumbers() throws(ValueProblem) {
    try NumberRule.counter(number, field: "take.number")
    try NumberRule.counter(revision, field: "take.revision")
    if let length, length < .zero { throw ValueProblem("take.length", "\(length.samples) samples", "0 or more") }
    try annotations.checkNumbers()
    try song?.checkNumbers()
  }
}

extension Song {
  /// Checks its numbers, as for a take.
  package func checkNumbers() throws(ValueProblem) {
    try NumberRule.counter(revision, field: "song.revision")
    try tempo?.check()
  }
}

extension TakeAnnotations {
  /// Checks its numbers, as for a take.
  package func checkNumbers() throws(ValueProblem) {
    if let rating, !TakeAnnotations.ratings.contains(rating) {
      throw ValueProblem("rating", "\(rating)", "1 to 5, or null")
    }
  }
}

extension Track {
  /// Checks its numbers, as for a take.
  package func checkNumbers() throws(ValueProblem) {
    try NumberRule.counter(number, field: "track.number")
    guard (1...2).contains(channels) else { throw ValueProblem("track.channels", "\(channels)", "1 or 2") }
    if let length, length < .zero { throw ValueProblem("track.length", "\(length.samples) samples", "0 or more") }
    for gap in gaps where gap.length < .zero {
      throw ValueProblem("track.gaps.length", "\(gap.length.samples) samples", "0 or more")
    }
    for stretch in alignment?.stretches ?? [] where stretch.start < .zero || stretch.end < stretch.start {
      throw ValueProblem(
        "track.alignment.stretches", "\(stretch.start.samples) to \(stretch.end.samples)",
        "samples from 0, the end not before the start")
    }
  }
}
