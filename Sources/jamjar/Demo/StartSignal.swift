import Machines
import Recording

/// Gives all musicians the same start once they have arrived.
actor StartSignal {
  /// Time between the last arrival and the first note.
  private static let lead = MonotonicTime.Span.milliseconds(200)

  private let count: Int
  private var waiting: [CheckedContinuation<MonotonicTime, Never>] = []

  init(count: Int) {
    self.count = count
  }

  /// Returns the common start when `count` have arrived.
  func arrive() async -> MonotonicTime {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == count else { return }
      let start = MonotonicClock.now + StartSignal.lead
      for continuation in waiting { continuation.resume(returning: start) }
      waiting = []
    }
  }
}
