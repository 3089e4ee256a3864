/// Limits the rate of events: a steady rate with a burst, stored as one instant (the GCRA of ATM networks).
package struct RateLimit: Sendable, Hashable {
  private let interval: MonotonicTime.Span
  private let tolerance: MonotonicTime.Span
  /// When the next event would come if all were evenly spaced; nil before the first.
  private var expected: MonotonicTime?

  /// Largest number of events in a figure.
  private static let most = 1_000_000

  /// Permits `perSecond` events in the long run, `burst` of them at once; both are at least one.
  package init(perSecond: Int, burst: Int) {
    interval = .nanoseconds(1_000_000_000 / Int64(min(max(perSecond, 1), RateLimit.most)))
    tolerance = interval * Int64(min(max(burst, 1), RateLimit.most) &- 1)
  }

  /// Permits `count` events at once, and `count` in each `window` in the long run. `count` is at least one, `window` at
  /// least a microsecond and at most a day.
  package init(_ count: Int, per window: MonotonicTime.Span) {
    let count = Int64(min(max(count, 1), RateLimit.most))
    let window = min(max(window, .microseconds(1)), .seconds(86_400))
    interval = max(window / count, .nanoseconds(1))
    tolerance = interval * (count &- 1)
  }

  /// Counts one event at `now`; returns false, without counting it, if it is too soon.
  package mutating func admit(at now: MonotonicTime) -> Bool {
    guard isOpen(at: now) else { return false }
    expected = max(expected ?? now, now) + interval
    return true
  }

  /// True if `admit` would count an event at `now`.
  package func isOpen(at now: MonotonicTime) -> Bool { max(expected ?? now, now) - now <= tolerance }

  /// The time from which `admit` returns true; nil if it always would.
  package var opens: MonotonicTime? {
    guard let expected else { return nil }
    return expected - tolerance
  }

  /// The time from which this limit is as good as a new one; nil if it is.
  package var clears: MonotonicTime? { expected }
}
