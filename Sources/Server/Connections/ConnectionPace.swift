import Machines
import Synchronization

/// The time of a stream's last write, and since when it has been waiting for its client to read.
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

  /// True if a write has been waiting for longer than `limit`.
  func isStuck(longerThan limit: MonotonicTime.Span, at now: MonotonicTime) -> Bool {
    state.withLock { $0.waitingSince.map { now - $0 > limit } ?? false }
  }

  /// True if nothing was written for `span`.
  func isQuiet(for span: MonotonicTime.Span, at now: MonotonicTime) -> Bool {
    state.withLock { $0.lastWrite.map { now - $0 >= span } ?? true }
  }
}

/// Tracks whether a reader has read all available data.
final class ReadingPace: Sendable {
  enum State {
    /// It has read everything and waits for more.
    case caughtUp
    /// It is about to find out.
    case waiting
    /// It is not reading, because the data read before has not been consumed yet.
    case busy
  }

  /// Data waiting in a socket arrives sooner than this.
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
