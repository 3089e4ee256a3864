import Glibc

/// The round trip of a path by connectivity checks of our own, without queueing.
///
/// Nothing in a check is claimed: its time is ours, and no answer comes before its request. So the round trip is no longer
/// than the quickest check. How much shorter it can be, the others show: where several were almost as quick, none waited.
struct CheckedRoundTrip: Hashable, Sendable, Codable {
  /// Number of the quickest checks that are looked at.
  private static let most = 10
  /// Chance that the round trip is shorter than the lower limit.
  private static let chance = 0.01
  /// Lifetime of the last check, in seconds: a recorder that stood still has none for as long, though the path is the same.
  private static let lifetime = 60.0

  private var trips = PathRoundTrip(witnesses: most)
  private var newest: Double?
  /// What contains the round trip, in seconds; nil without a check.
  private(set) var limits: ClosedRange<Double>?

  /// Adds a check that took `seconds`, and whose answer came at `time`.
  mutating func add(_ seconds: Double, at time: Double) {
    trips.add(seconds, at: time)
    newest = max(newest ?? time, time)
    limits = limitsByNow
  }

  /// True if the path is being checked at `time`.
  func isCurrent(at time: Double) -> Bool { newest.map { abs(time - $0) < CheckedRoundTrip.lifetime } ?? false }

  private var limitsByNow: ClosedRange<Double>? {
    guard let quickest = trips.lowest, let recently = trips.lowestRecently else { return nil }
    let few = trips.lowestFew
    let others = Double(few.count - 1)
    guard others > 0, let last = few.last else { return 0...max(quickest, recently) }
    // A round trip waits on both ways, so that the number of checks quicker than some time rises with the square of what
    // that time is beyond the least possible. Of the excess of the last of these few, the quickest has then the square root of
    // a share that is below this one, but for the chance.
    let share = sqrt(1 - pow(CheckedRoundTrip.chance, 1 / others))
    let least = quickest - (last - quickest) * share / (1 - share)
    return max(0, least)...max(quickest, recently)
  }
}
