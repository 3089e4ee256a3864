import Glibc
import Recording

/// Time on one of the system's clocks since it was made.
struct Stopwatch {
  enum Clock {
    /// What this thread has used of a processor.
    case thread
    /// Time as it passes.
    case wall

    fileprivate var number: clockid_t { self == .thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC }
  }

  private let clock: Clock
  private let start: Double

  init(_ clock: Clock) {
    self.clock = clock
    start = Stopwatch.now(clock)
  }

  /// In seconds.
  var elapsed: Double { Stopwatch.now(clock) - start }

  /// The median of what `body` takes of this thread's processor, in microseconds per one of `count`.
  static func microseconds(per count: Int, runs: Int = 7, _ body: () throws -> Void) rethrows -> Double {
    var times = Distribution()
    for _ in 0..<runs {
      let watch = Stopwatch(.thread)
      try body()
      times.add(watch.elapsed * 1e6 / Double(count))
    }
    return times.quantile(0.5)
  }

  private static func now(_ clock: Clock) -> Double { Double(MonotonicClock.read(clock.number)) / 1e9 }
}
