import Glibc
import Machines
import Recording

extension MonotonicClock {
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
}
