import Machines
import Synchronization

/// When a stream last wrote, and since when it waits for its client to read.
final class WritePace: Sendable {
  private struct State {
    var waitingSince: MonotonicTime?
    var lastWrite: MonotonicTime?
  }

  private let state = Mutex(State())

  func begin(at now: MonotonicTime) {
    state.withLock { $0.waitingSince = now }
  }

  func end(at now: MonotonicTime) {
    state.withLock { $0 = State(waitingSince: nil, lastWrite: now) }
  }

  /// True where one write has waited for longer than `limit`.
  func isStuck(longerThan limit: MonotonicTime.Span, at now: MonotonicTime) -> Bool {
    state.withLock { $0.waitingSince.map { now - $0 > limit } ?? false }
  }

  /// True where nothing was written for `span`.
  func isQuiet(for span: MonotonicTime.Span, at now: MonotonicTime) -> Bool {
    state.withLock { $0.lastWrite.map { now - $0 >= span } ?? true }
  }
}
