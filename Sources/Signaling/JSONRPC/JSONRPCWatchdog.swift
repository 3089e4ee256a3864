import Machines

/// Sees that a client that began to ping goes on doing so.
///
/// The first ping of a link says how often; a link that never pings has none (iOS, Android and Java don't).
struct JSONRPCWatchdog: Hashable, Sendable {
  /// Intervals without a ping after which the link counts as dead.
  private static let patience: Int64 = 3
  /// The interval of a first ping that names none, in milliseconds.
  private static let defaultInterval = 20_000.0
  /// The intervals that are taken, in milliseconds: a shorter one would close links for a moment's hold-up.
  private static let intervals = 100.0...600_000.0

  private let silence: MonotonicTime.Span
  /// When the link is closed unless a ping comes.
  private(set) var deadline: MonotonicTime

  /// Armed by a link's first ping; `interval` in milliseconds, drawn into 100 ms to 600 s.
  init(interval: Double?, at now: MonotonicTime) {
    let wished = interval ?? JSONRPCWatchdog.defaultInterval
    let interval = min(max(wished, JSONRPCWatchdog.intervals.lowerBound), JSONRPCWatchdog.intervals.upperBound)
    silence = .microseconds(Int64((interval * 1_000).rounded())) * JSONRPCWatchdog.patience
    deadline = now + silence
  }

  /// Another ping came.
  mutating func feed(at now: MonotonicTime) {
    deadline = now + silence
  }
}
