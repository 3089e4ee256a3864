import Machines

/// How long one lane of a loop's turn may take: sockets without media, deadlines, and jobs are the three.
///
/// A musician's packet waits for the end of the turn in which it arrives. So what many can bring about at once (joins with
/// their handshakes, gathering, commands) is done in short turns, and between any two of them all media is read. A lane has
/// one step in any case, so none of them waits for the others.
struct LaneBudget {
  static let length = MonotonicTime.Span.microseconds(200)

  private let end: MonotonicTime
  private var hasBegun = false

  init(at now: MonotonicTime) {
    end = now + LaneBudget.length
  }

  /// True if another step may begin at `now`.
  mutating func permitsStep(at now: MonotonicTime) -> Bool {
    defer { hasBegun = true }
    return !hasBegun || now < end
  }
}
