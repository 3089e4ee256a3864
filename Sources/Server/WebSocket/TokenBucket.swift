import Machines

/// Lets a steady rate pass, and a burst now and then.
struct TokenBucket: Hashable, Sendable {
  private let rate: Double
  private let capacity: Double
  private var tokens: Double
  private var updated: MonotonicTime

  /// - Parameters:
  ///   - rate: tokens that come back a second.
  ///   - burst: tokens that are there at most, and at `now`.
  init(rate: Int, burst: Int, at now: MonotonicTime) {
    self.rate = Double(rate)
    capacity = Double(burst)
    tokens = Double(burst)
    updated = now
  }

  /// Takes one token; false where there is none.
  mutating func take(at now: MonotonicTime) -> Bool {
    let elapsed = max(0, (now - updated).seconds)
    updated = max(updated, now)
    tokens = min(capacity, tokens + elapsed * rate)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
