import Machines

/// How much of a processor a loop may have before everybody else: half of it, and after a pause 0.3 s at a stretch.
///
/// Sixty joins take 0.2 s. A flood of datagrams, or the reading of what waited while the machine stood still, may take any
/// time, in which nothing else would run on that processor.
struct RightOfWay {
  private static let burst = MonotonicTime.Span.milliseconds(300)

  /// What is left of it; grows by half of the time that passes.
  private var credit = RightOfWay.burst
  private var last: MonotonicTime
  private(set) var isGranted = true

  init(at now: MonotonicTime) {
    last = now
  }

  /// Counts a turn of the loop, from the return of epoll to its end.
  /// - Returns: true if `isGranted` has changed.
  mutating func turn(from start: MonotonicTime, to end: MonotonicTime) -> Bool {
    let passed = (end - last).nanoseconds / 2
    credit = min(RightOfWay.burst, credit + .nanoseconds(passed))
    credit = max(.zero, credit - (end - start))
    last = end
    // Not at once again, or it would change with every packet.
    let isGranted = isGranted ? credit > .zero : credit >= .nanoseconds(RightOfWay.burst.nanoseconds / 2)
    defer { self.isGranted = isGranted }
    return isGranted != self.isGranted
  }
}
