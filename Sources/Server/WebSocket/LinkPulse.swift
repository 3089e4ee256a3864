import Machines
import Synchronization

/// When something last came from the other side.
final class LinkPulse: Sendable {
  private let heard: Mutex<MonotonicTime>

  init(at now: MonotonicTime) {
    heard = Mutex(now)
  }

  func beat(at now: MonotonicTime) { heard.withLock { $0 = now } }

  var last: MonotonicTime { heard.withLock { $0 } }
}
