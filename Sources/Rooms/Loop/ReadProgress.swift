import Machines

/// How far a loop has read its sockets: everything that arrived before `through` has been passed on, jobs included.
///
/// A loop that stood still finds seconds of audio in its sockets and reads it in small turns, so that no socket holds
/// up the others; deadlines are served between the turns. Whatever closes a take asks how far the reading has come,
/// not what time it is: otherwise a machine that stands still around a stop would cost what lies in the sockets.
struct ReadProgress {
  /// Turns that end this close to the present are not behind.
  private static let present = MonotonicTime.Span.milliseconds(20)
  /// A sender that is faster than the reading is not waited for longer than this, in time spent on reading.
  private static let greatestEffort = MonotonicTime.Span.seconds(2)
  /// No turn counts as more effort than this: in a longer one, the machine stood still again.
  private static let longestTurn = MonotonicTime.Span.milliseconds(50)

  private(set) var through: MonotonicTime
  private var effort = MonotonicTime.Span.zero

  /// - Parameter start: a time before which nothing was received.
  init(at start: MonotonicTime) {
    through = start
  }

  /// Records a turn, in which each readable descriptor was read once.
  /// - Parameters:
  ///   - began: a time before the kernel was asked which descriptors are readable, and before waiting jobs were run.
  ///   - behind: the earliest arrival of the last datagram read of a descriptor that may still hold more; nil if all
  ///     were emptied.
  ///   - now: the end of the turn.
  mutating func turn(began: MonotonicTime, behind: MonotonicTime?, at now: MonotonicTime) {
    let reached = max(through, min(began, behind ?? began))
    if reached + ReadProgress.present < began {
      effort = effort + min(now - began, ReadProgress.longestTurn)
      through = effort < ReadProgress.greatestEffort ? reached : began
    } else {
      effort = .zero
      through = reached
    }
  }
}
