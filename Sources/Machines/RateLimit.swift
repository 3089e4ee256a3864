/// Bounds how often something may happen: a steady rate with a burst, kept as one instant (the GCRA of ATM networks).
package struct RateLimit: Sendable, Hashable {
  private let interval: MonotonicTime.Span
  private let tolerance: MonotonicTime.Span
  /// When the next event would come if all events came evenly; nil before the first.
  private var expected: MonotonicTime?

  /// `perSecond` events in the long run, `burst` of them at once; both at least one.
  package init(perSecond: Int, burst: Int) {
    interval = .nanoseconds(1_000_000_000 / Int64(min(max(perSecond, 1), 1_000_000)))
    tolerance = interval * Int64(min(max(burst, 1), 1_000_000) &- 1)
  }

  /// Counts one event at `now`; false, and nothing counted, where it is too soon.
  package mutating func admit(at now: MonotonicTime) -> Bool {
    let base = max(expected ?? now, now)
    guard base - now <= tolerance else { return false }
    expected = base + interval
    return true
  }

  /// From when on `admit` answers true; nil where it always would have.
  package var opens: MonotonicTime? {
    guard let expected else { return nil }
    return expected - tolerance
  }
}
