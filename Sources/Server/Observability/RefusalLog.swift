import Logging
import Machines
import Recording
import Synchronization

/// Lines about refused clients: each has its reason, and however many come, the log grows slowly.
final class RefusalLog: Sendable {
  private struct State {
    // A line a second in the long run; a class that comes with the wrong key at once is seen whole.
    var rate = RateLimit(perSecond: 1, burst: 30)
    var left = 0
  }

  private let logger: Logger
  private let state = Mutex(State())

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Writes a line, or counts it for the next one.
  func note(_ line: Logger.Message, _ metadata: Logger.Metadata, at now: MonotonicTime = MonotonicClock.now) {
    let left = state.withLock { state -> Int? in
      guard state.rate.admit(at: now) else {
        state.left += 1
        return nil
      }
      defer { state.left = 0 }
      return state.left
    }
    guard let left else { return }
    var metadata = metadata
    if left > 0 { metadata["refusalsWithoutALine"] = "\(left)" }
    logger.notice(line, metadata: metadata)
  }
}
