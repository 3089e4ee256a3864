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
    self.value = String(value.prefix(80))
    self.permitted = permitted
  }

  package var description: String { "\(field) is \(value); permitted: \(permitted)" }
}

/// Rules for texts by users, other than names.
enum TextRule {
  /// Checks a single line: 1 to `limit` characters, no control characters, no space at either end.
  static func line(_ text: String, field: String, limit: Int) throws(ValueProblem) {
    guard (1...limit).contains(text.count), text.utf8.count <= limit * 8 else {
      throw ValueProblem(field, "\"\(text)\" (\(text.count) characters)", "1 to \(limit) characters")
    }
    guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
      throw ValueProblem(field, "\"\(text)\"", "a text without blanks at its ends")
    }
    guard !text.unicodeScalars.contains(where: isControl) else {
      throw ValueProblem(field, text.debugDescription, "a line without control characters")
    }
  }

  /// Checks a multi-line text: up to `limit` characters, no control characters except line breaks and tabs.
  static func text(_ text: String, field: String, limit: Int) throws(ValueProblem) {
    guard (1...limit).contains(text.count), text.utf8.count <= limit * 8 else {
      throw ValueProblem(field, "\(text.count) characters", "1 to \(limit) characters, or null")
    }
    guard !text.unicodeScalars.contains(where: { isControl($0) && !["\n", "\r", "\t"].contains($0) }) else {
      throw ValueProblem(field, text.debugDescription, "a text without control characters")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
      || scalar.properties.generalCategory == .paragraphSeparator
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
