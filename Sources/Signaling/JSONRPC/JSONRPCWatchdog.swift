import Machines

/// Checks that a client that began to ping continues to do so.
///
/// The first ping of a link sets the interval; a link that never pings has no watchdog (iOS, Android and Java don't
/// ping).
struct JSONRPCWatchdog: Hashable, Sendable {
  /// Intervals without a ping after which the link counts as dead.
  private static let patience: Int64 = 3
  /// The default interval, in milliseconds.
  private static let defaultInterval = 20_000.0
  /// The permitted intervals, in milliseconds: a shorter one would close links after a brief delay.
  private static let intervals = 100.0...600_000.0

  private let silence: MonotonicTime.Span
  /// The time of closing the link unless a ping arrives.
  private(set) var deadline: MonotonicTime

  /// Created at a link's first ping; `interval` in milliseconds, clamped to 100 ms to 600 s.
  init(interval: Double?, at now: MonotonicTime) {
    let wished = interval ?? JSONRPCWatchdog.defaultInterval
    let interval = min(max(wished, JSONRPCWatchdog.intervals.lowerBound), JSONRPCWatchdog.intervals.upperBound)
    silence = .microseconds(Int64((interval * 1_000).rounded())) * JSONRPCWatchdog.patience
    deadline = now + silence
  }

  /// Restarts the interval after a ping.
  mutating func feed(at now: MonotonicTime) {
    deadline = now + silence
  }
}
