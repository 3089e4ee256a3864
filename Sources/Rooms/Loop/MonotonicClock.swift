import Glibc
import Machines
import Music

/// The machine's clocks, read nowhere else in this module.
package enum MonotonicClock {
  /// The current CLOCK_BOOTTIME, which is unaffected by steps of the wall clock and continues while the machine is
  /// suspended, since its musicians play on.
  package static var now: MonotonicTime { MonotonicTime(nanoseconds: read(CLOCK_BOOTTIME)) }

  /// How long the machine has been suspended since it booted.
  static var suspended: MonotonicTime.Span {
    let running = read(CLOCK_MONOTONIC)
    return .nanoseconds(read(CLOCK_BOOTTIME) &- running)
  }

  /// Readings of one clock around a reading of the other count as simultaneous within this span.
  private static let atOnce = MonotonicTime.Span.microseconds(20)
  private static let readings = 5

  /// The current monotonic and wall time; of several readings, the one with the shortest interruption.
  static var reading: ArrivalClock.Reading {
    var best: (reading: ArrivalClock.Reading, span: MonotonicTime.Span)?
    for _ in 0..<readings {
      let before = now
      let civil = read(CLOCK_REALTIME)
      let after = now
      let span = after - before
      if best.map({ span < $0.span }) ?? true { best = (.init(monotonic: after, civil: civil), span) }
      if span <= atOnce { break }
    }
    return best?.reading ?? .init(monotonic: now, civil: read(CLOCK_REALTIME))
  }

  /// The current wall time, for information only.
  package static var wall: WallTime { WallTime(nanoseconds: read(CLOCK_REALTIME)) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
