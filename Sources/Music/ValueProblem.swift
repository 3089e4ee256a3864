/// A value from outside that is not permitted.
package struct ValueProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field's name as people write it: "rating".
  package var field: String
  /// What was given, shortened.
  package var value: String
  /// What is permitted: "1 to 5".
  package var permitted: String

  package init(_ field: String, _ value: String, _ permitted: String) {
    self.field = field
    self.value = String(value.prefix(80))
    self.permitted = permitted
  }

  package var description: String { "\(field) is \(value); permitted: \(permitted)" }
}

/// The rules for texts that people write beside names.
enum TextRule {
  /// Checks a line: 1 to `limit` characters, no control character, no blank at either end.
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

  /// Checks a text of several lines: up to `limit` characters, no control characters but line breaks and tabs.
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

/// The numbers that are taken from files of the data folder, which somebody may have written by hand.
///
/// They are far beyond what there is, and so far from the end of 64 bits that one more, or the sum of as many as a file can
/// hold, fits as well.
package enum NumberRule {
  /// Of takes and tracks, and of revisions.
  package static let counters = 1...1_000_000_000
  /// Lengths of files.
  package static let bytes: ClosedRange<Int64> = 0...(1 << 60)

  /// Checks the number of a take or a track, or a revision.
  package static func counter(_ value: Int, field: String) throws(ValueProblem) {
    guard counters.contains(value) else { throw ValueProblem(field, "\(value)", "1 to 1,000,000,000") }
  }
}

extension Take {
  /// Whether the numbers of a take that comes from a file can be.
  /// - Throws: `ValueProblem` that names the field, its value, and what is permitted.
  package func checkNumbers() throws(ValueProblem) {
    try NumberRule.counter(number, field: "take.number")
    try NumberRule.counter(revision, field: "take.revision")
    if let length, length < .zero { throw ValueProblem("take.length", "\(length.samples) samples", "0 or more") }
    try annotations.checkNumbers()
    try song?.checkNumbers()
  }
}

extension Song {
  /// As a take's.
  package func checkNumbers() throws(ValueProblem) {
    try NumberRule.counter(revision, field: "song.revision")
    try tempo?.check()
  }
}

extension TakeAnnotations {
  /// As a take's.
  package func checkNumbers() throws(ValueProblem) {
    if let rating, !TakeAnnotations.ratings.contains(rating) {
      throw ValueProblem("rating", "\(rating)", "1 to 5, or null")
    }
  }
}

extension Track {
  /// As a take's.
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
