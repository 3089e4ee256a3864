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
