import Machines

/// Detects stalls of the recorder itself: a callback due every few milliseconds did not run for a second or more.
///
/// The cause may be a stopped process, an overloaded machine, or a suspended or paused one. Audio sent meanwhile may
/// be lost, and the musicians are not responsible for that.
struct StandstillMeter: Sendable {
  struct Standstill: Hashable, Sendable {
    var end: MonotonicTime
    var length: MonotonicTime.Span
    /// True if the machine was suspended; otherwise it ran, but this process did not.
    var isSuspension: Bool
  }

  /// Shorter stalls lose nothing, because the kernel buffers incoming packets.
  private static let least = MonotonicTime.Span.seconds(1)

  private var last: (time: MonotonicTime, suspended: MonotonicTime.Span)?

  /// To be called at every tick.
  /// - Parameter suspended: how long the machine has been suspended since it booted.
  mutating func tick(at now: MonotonicTime, suspended: MonotonicTime.Span) -> Standstill? {
    defer { last = (now, suspended) }
    guard let last, now - last.time >= StandstillMeter.least else { return nil }
    let length = now - last.time
    return Standstill(end: now, length: length, isSuspension: suspended - last.suspended >= length / 2)
  }
}
