import Machines

/// A rate that may be exceeded for a moment: a bucket of permits that fills again with time.
struct RTMPRate: Hashable, Sendable {
  private let capacity: Double
  private let perSecond: Double
  private var permits: Double
  private var last: MonotonicTime

  init(burst: Double, perSecond: Double, at now: MonotonicTime) {
    capacity = burst
    self.perSecond = perSecond
    permits = burst
    last = now
  }

  /// Takes a permit if there is one.
  mutating func take(at now: MonotonicTime) -> Bool {
    permits = min(capacity, permits + max(0, (now - last).seconds) * perSecond)
    last = now
    guard permits >= 1 else { return false }
    permits -= 1
    return true
  }
}
