import Logging
import Music
import Recording

/// Sends the deliveries of one endpoint one after the other: each waits until the one before it was accepted or given up.
struct WebhookOutlet: Sendable {
  /// What the log calls it.
  let name: String
  let endpoint: WebhookEndpoint
  let spool: WebhookSpool
  let schedule: WebhookSchedule
  let sender: WebhookSender
  let counts: Counter<WebhookCounts>
  let logger: Logger

  /// True if something waits that was not tried yet, or is due.
  var hasNews: Bool {
    get async {
      guard let first = await spool.first() else { return false }
      return first.delivery.attempts == 0 || first.delivery.due <= MonotonicClock.wall
    }
  }

  /// Sends until the task is cancelled, or the endpoint says that it is gone.
  func deliver() async {
    for await _ in spool.wakes {
      while !Task.isCancelled, let (file, delivery) = await spool.first() {
        try? await Task.sleep(for: WebhookSchedule.wait(until: delivery.due, at: MonotonicClock.wall))
        guard !Task.isCancelled else { return }
        guard await attempt(delivery, file) else { return }
      }
    }
  }

  /// False once nothing more is to be delivered.
  private func attempt(_ delivery: WebhookDelivery, _ file: String) async -> Bool {
    let outcome = await sender.send(delivery, to: endpoint, at: MonotonicClock.wall)
    // Cut off by the shutdown: does not count as an attempt and is repeated at the next start.
    if Task.isCancelled, outcome != .delivered { return false }
    var delivery = delivery
    delivery.attempts += 1
    let metadata: Logger.Metadata = [
      "webhook": "\(name)", "delivery": "\(delivery.id)", "attempt": "\(delivery.attempts)",
      "outcome": "\(outcome.reason)",
    ]
    switch schedule.decide(
      after: outcome, attempts: delivery.attempts, created: delivery.created, now: MonotonicClock.wall,
      chance: .random(in: 0..<1))
    {
    case .done:
      counts.add { $0.delivered += 1 }
      await spool.remove(file)
    case .retry(let due):
      counts.add { $0.failedAttempts += 1 }
      delivery.due = due
      await spool.update(file, delivery)
      logger.log(level: delivery.attempts == 1 ? .warning : .info, "a webhook was not accepted", metadata: metadata)
    case .giveUp:
      counts.add { $0.givenUp += 1 }
      await spool.remove(file)
      logger.error("a webhook's delivery was given up", metadata: metadata)
    case .end:
      await spool.close()
      logger.notice("a webhook gets no more events until the service restarts", metadata: metadata)
      return false
    }
    return true
  }
}
