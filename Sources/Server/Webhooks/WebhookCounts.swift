import Synchronization

/// How deliveries ended, for `/metrics`.
final class WebhookCounts: Sendable {
  struct Counts: Sendable {
    var delivered = 0
    var failedAttempts = 0
    var givenUp = 0
  }

  private let counts = Mutex(Counts())

  var current: Counts { counts.withLock { $0 } }

  func add(_ change: (inout Counts) -> Void) {
    counts.withLock { change(&$0) }
  }
}
