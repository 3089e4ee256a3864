import Machines
import Synchronization

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
