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
