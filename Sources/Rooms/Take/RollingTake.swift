import Machines
import Recording

/// A take's render that follows its journal, and when to try again where that failed.
struct RollingTake {
  private static let firstPause = MonotonicTime.Span.seconds(2)
  private static let longestPause = MonotonicTime.Span.seconds(60)

  /// Nil before the first try, and after one that failed.
  var renderer: TakeRenderer?
  private var pause = firstPause
  private var retry: MonotonicTime?

  func isDue(at now: MonotonicTime) -> Bool { retry.map { now >= $0 } ?? true }

  /// What was rendered is lost, and every try begins anew: hence ever longer pauses.
  mutating func fail(at now: MonotonicTime) {
    renderer = nil
    retry = now + pause
    pause = min(RollingTake.longestPause, pause + pause)
  }
}
