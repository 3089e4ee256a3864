import Library
import Logging
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// Delivers events to the endpoints: moves them from the feed into the spools, and sends them from there.
///
/// At least once and in order for each endpoint: a delivery waits until the previous one was accepted or given up.
struct Webhooks: Service {
  let configuration: WebhookConfiguration
  let feed: EventFeed
  /// The data folder.
  let recordings: String
  let sender: WebhookSender
  let counts: WebhookCounts
  let logger: Logger

  /// Events read from the feed at once.
  private static let batch = 64
  /// How long the last deliveries may take at a shutdown; the rest follows at the next start.
  private static let farewell = Duration.seconds(2)

  /// One endpoint with its pending deliveries.
  private struct Line: Sendable {
    var number: Int
    var endpoint: WebhookEndpoint
    var spool: WebhookSpool
  }

  func run() async throws {
    let lines = await openSpools()
    guard !lines.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    await withTaskGroup { group in
      for line in lines { group.addTask { await deliver(line) } }
      await gather(into: lines)
      // The rooms have ended before: try to deliver their last events.
      let end = ContinuousClock.now + Webhooks.farewell
      while ContinuousClock.now < end, await hasDue(lines) { try? await Task.sleep(for: .milliseconds(20)) }
      group.cancelAll()
    }
  }

  private func openSpools() async -> [Line] {
    var lines: [Line] = []
    for (index, endpoint) in configuration.endpoints.enumerated() {
      do {
        let spool = try await WebhookSpool(endpoint.key, in: recordings)
        lines.append(Line(number: index + 1, endpoint: endpoint, spool: spool))
      } catch {
        logger.error(
          "a webhook's folder cannot be opened, so it gets no events",
          metadata: ["webhook": "\(index + 1)", "error": "\(error)"])
      }
    }
    return lines
  }

  /// Reads the feed until the shutdown, including the last events.
  private func gather(into lines: [Line]) async {
    let reader = feed.subscribe()
    await withGracefulShutdownHandler {
      var place: UInt64 = 0
      for await _ in reader.wakes { place = await spool(after: place, lines) }
      _ = await spool(after: place, lines)
    } onGracefulShutdown: {
      reader.end()
    }
  }

  private func spool(after start: UInt64, _ lines: [Line]) async -> UInt64 {
    var place = start
    while true {
      let reading = feed.read(after: place, limit: Webhooks.batch)
      if reading.isBroken { logger.error("events came faster than they could be stored for webhooks; some are lost") }
      place = reading.place
      guard !reading.events.isEmpty else { return place }
      for numbered in reading.events {
        for line in lines where line.endpoint.kinds.contains(numbered.event.kind) { await add(numbered, to: line) }
      }
    }
  }

  private func add(_ numbered: NumberedEvent, to line: Line) async {
    do {
      guard try await line.spool.add(WebhookDelivery(numbered)) == false else { return }
      counts.add { $0.givenUp += 1 }
    } catch {
      counts.add { $0.givenUp += 1 }
      logger.error(
        "a webhook's delivery could not be stored", metadata: ["webhook": "\(line.number)", "error": "\(error)"])
    }
  }

  private func hasDue(_ lines: [Line]) async -> Bool {
    let now = MonotonicClock.wall
    for line in lines {
      if let first = await line.spool.first(), first.delivery.attempts == 0 || first.delivery.due <= now { return true }
    }
    return false
  }

  /// Sends the deliveries of one endpoint one after the other.
  private func deliver(_ line: Line) async {
    for await _ in line.spool.wakes {
      while !Task.isCancelled, let (name, delivery) = await line.spool.first() {
        try? await Task.sleep(for: WebhookSchedule.wait(until: delivery.due, at: MonotonicClock.wall))
        guard !Task.isCancelled else { return }
        guard await attempt(delivery, name, line) else { return }
      }
    }
  }

  /// False once nothing more is to be delivered.
  private func attempt(_ delivery: WebhookDelivery, _ name: String, _ line: Line) async -> Bool {
    let outcome = await sender.send(delivery, to: line.endpoint, at: MonotonicClock.wall)
    // Cut off by the shutdown: does not count as an attempt and is repeated at the next start.
    if Task.isCancelled, outcome != .delivered { return false }
    var delivery = delivery
    delivery.attempts += 1
    let metadata: Logger.Metadata = [
      "webhook": "\(line.number)", "delivery": "\(delivery.id)", "attempt": "\(delivery.attempts)",
      "outcome": "\(outcome.reason)",
    ]
    switch configuration.schedule.decide(
      after: outcome, attempts: delivery.attempts, created: delivery.created, now: MonotonicClock.wall,
      chance: .random(in: 0..<1))
    {
    case .done:
      counts.add { $0.delivered += 1 }
      await line.spool.remove(name)
    case .retry(let due):
      counts.add { $0.failedAttempts += 1 }
      delivery.due = due
      await line.spool.update(name, delivery)
      logger.log(level: delivery.attempts == 1 ? .warning : .info, "a webhook was not accepted", metadata: metadata)
    case .giveUp:
      counts.add { $0.givenUp += 1 }
      await line.spool.remove(name)
      logger.error("a webhook's delivery was given up", metadata: metadata)
    case .end:
      await line.spool.close()
      logger.notice("a webhook gets no more events until the service restarts", metadata: metadata)
      return false
    }
    return true
  }
}

/// Counts of delivery results, for `/metrics`.
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
