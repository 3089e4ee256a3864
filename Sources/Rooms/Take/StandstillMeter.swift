import Machines

/// Notices that the recorder itself stood still: what should happen every few milliseconds did not for a second or more.
///
/// A stopped process, a machine without time for it, a suspended or paused machine: what musicians sent meanwhile may be
/// lost, and that is no fault of theirs.
struct StandstillMeter: Sendable {
  struct Standstill: Hashable, Sendable {
    var end: MonotonicTime
    var length: MonotonicTime.Span
    /// The machine was suspended; otherwise it ran, and this process did not.
    var isSuspension: Bool
  }

  /// Shorter ones cost nothing: the kernel keeps what comes meanwhile.
  private static let least = MonotonicTime.Span.seconds(1)

  private var last: (time: MonotonicTime, suspended: MonotonicTime.Span)?

  /// To be called at every tick.
  /// - Parameter suspended: how long the machine was suspended since it was started.
  mutating func tick(at now: MonotonicTime, suspended: MonotonicTime.Span) -> Standstill? {
    defer { last = (now, suspended) }
    guard let last, now - last.time >= StandstillMeter.least else { return nil }
    let length = now - last.time
    return Standstill(end: now, length: length, isSuspension: suspended - last.suspended >= length / 2)
  }
}
