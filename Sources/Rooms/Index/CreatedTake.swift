import Music
import Synchronization

/// What the index made of a take, for its author.
final class CreatedTake: Sendable {
  private let stored = Mutex<Take?>(nil)

  var take: Take? { stored.withLock { $0 } }

  func set(_ take: Take) { stored.withLock { $0 = take } }
}
