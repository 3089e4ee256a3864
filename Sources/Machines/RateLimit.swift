/// Limits the rate of events: a steady rate with a burst, stored as one instant (the GCRA of ATM networks).
package struct RateLimit: Sendable, Hashable {
  private let interval: MonotonicTime.Span
  private let tolerance: MonotonicTime.Span
  /// When the next event would come if all were evenly spaced; nil before the first.
  private var expected: MonotonicTime?

  /// Permits `perSecond` events in the long run, `burst` of them at once; both are at least one.
  package init(perSecond: Int, burst: Int) {
    interval = .nanoseconds(1_000_000_000 / Int64(min(max(perSecond, 1), 1_000_000)))
    tolerance = interval * Int64(min(max(burst, 1), 1_000_000) &- 1)
  }

  /// Counts one event at `now`; returns false, without counting it, if it is too soon.
  package mutating func admit(at now: MonotonicTime) -> Bool {
    let base = max(expected ?? now, now)
    guard base - now <= tolerance else { return false }
    expected = base + interval
    return true
  }

  /// The time from which `admit` returns true; nil if it always would.
  package var opens: MonotonicTime? {
    guard let expected else { return nil }
    return expected - tolerance
  }
}
