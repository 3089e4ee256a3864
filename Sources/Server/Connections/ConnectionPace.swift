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

/// Whether a reader has read all that there was.
final class ReadingPace: Sendable {
  enum State {
    /// It has, and waits for more.
    case caughtUp
    /// It is about to know.
    case waiting
    /// It does not read, because what it read is not yet taken.
    case busy
  }

  /// What waits in a socket comes sooner.
  private static let pause = MonotonicTime.Span.milliseconds(100)

  private let waiting = Mutex<MonotonicTime?>(nil)

  /// The reader waits for the socket.
  func waits(since now: MonotonicTime) { waiting.withLock { $0 = now } }

  /// It has read something.
  func reads() { waiting.withLock { $0 = nil } }

  func state(at now: MonotonicTime) -> State {
    guard let since = waiting.withLock({ $0 }) else { return .busy }
    return now - since >= ReadingPace.pause ? .caughtUp : .waiting
  }
}
