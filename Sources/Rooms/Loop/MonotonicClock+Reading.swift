import Glibc
import Machines
import Recording

extension MonotonicClock {
  /// How long the machine was suspended since it was started.
  static var suspended: MonotonicTime.Span {
    let running = read(CLOCK_MONOTONIC)
    return .nanoseconds(read(CLOCK_BOOTTIME) &- running)
  }

  /// Readings of one clock around one of the other that are so near count as made at once.
  private static let atOnce = MonotonicTime.Span.microseconds(20)
  private static let readings = 5

  /// Monotonic and civil time now, together: of several readings the one that was interrupted for the shortest time.
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
