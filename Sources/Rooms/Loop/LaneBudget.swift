import Machines

/// How long a loop's turn may take beyond reading media: sockets without media, deadlines, and jobs share it.
///
/// A musician's packet waits for the end of the turn in which it arrives. So what many can bring about at once (joins with
/// their handshakes, gathering, commands) is done in short turns, and between any two of them all media is read. A turn
/// has one step in any case.
struct LaneBudget {
  static let length = MonotonicTime.Span.microseconds(200)

  private let end: MonotonicTime
  private var hasBegun = false

  init(at now: MonotonicTime) {
    end = now + LaneBudget.length
  }

  /// True if another step would be permitted at `now`.
  func hasTime(at now: MonotonicTime) -> Bool { !hasBegun || now < end }

  /// True if another step may begin at `now`; it counts as begun.
  mutating func permitsStep(at now: MonotonicTime) -> Bool {
    defer { hasBegun = true }
    return hasTime(at: now)
  }
}
