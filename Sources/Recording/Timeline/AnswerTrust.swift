/// How much of a round trip rests on the sender's word alone.
///
/// A round trip is what we measured (from our report to its answer) less what only the sender knows (how long it held the
/// report). The first is an upper limit that nobody can talk down: the round trip cannot be longer than the quickest answer
/// took, whatever is said of it. It comes near to the truth by itself, because senders answer at times of their own, and now
/// and then almost at once.
struct AnswerTrust: Hashable, Sendable {
  /// Answers within so many seconds are of one path: as long as a round trip counts (`PathRoundTrip`).
  private static let span = 600.0
  /// A path is known by so many answers at least; a rest with fewer belongs to the time before it.
  private static let fewest = 100

  private struct Period: Hashable, Sendable {
    var begin: Double
    var count = 0
    /// The quickest answer, and the shortest round trip that was claimed, in seconds.
    var quickest = Double.infinity
    var claimed = Double.infinity
  }

  private var periods: [Period] = []

  /// Takes an answer that came `elapsed` seconds after our report and claims to have been held for `held` of them.
  mutating func add(elapsed: Double, held: Double, at time: Double) {
    if periods.last.map({ time - $0.begin > AnswerTrust.span && $0.count >= AnswerTrust.fewest }) ?? true {
      periods.append(Period(begin: time))
    }
    let last = periods.count - 1
    periods[last].count += 1
    periods[last].quickest = min(periods[last].quickest, elapsed)
    periods[last].claimed = min(periods[last].claimed, elapsed - held)
  }

  /// By how much the round trip may be longer than the sender's word says, in seconds.
  var doubt: Double {
    var periods = periods
    if periods.count > 1, let rest = periods.last, rest.count < AnswerTrust.fewest {
      periods.removeLast()
      periods[periods.count - 1].quickest = min(periods[periods.count - 1].quickest, rest.quickest)
      periods[periods.count - 1].claimed = min(periods[periods.count - 1].claimed, rest.claimed)
    }
    return periods.map { max(0, $0.quickest - $0.claimed) }.max() ?? 0
  }
}
