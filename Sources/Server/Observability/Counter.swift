import Synchronization

/// Counts that several tasks add to, for `/metrics`.
final class Counter<Counts: Sendable>: Sendable {
  private let counts: Mutex<Counts>

  init(_ counts: Counts) { self.counts = Mutex(counts) }

  var current: Counts { counts.withLock { $0 } }

  func add(_ change: (inout Counts) -> Void) {
    counts.withLock { change(&$0) }
  }
}
