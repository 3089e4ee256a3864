import Library
import Logging
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// Delivers events to the endpoints: moves them from the feed into the spools, and sends them from there.
///
/// At least once and in order for each endpoint: a delivery waits until the previous one was accepted or given up. Each
/// endpoint knows the last edit it was given, so that it gets the edits made while the service was down as well.
struct Webhooks: NamedService {
  let configuration: WebhookConfiguration
  let feed: EventFeed
  /// The data folder.
  let recordings: String
  let sender: WebhookSender
  let counts: Counter<WebhookCounts>
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
    var outlet: WebhookOutlet
  }

  func run() async throws {
    let lines = await openSpools()
    guard !lines.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    await withTaskGroup { group in
      for line in lines { group.addTask { await line.outlet.deliver() } }
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
        let outlet = WebhookOutlet(
          name: "\(index + 1)", endpoint: endpoint, spool: spool, schedule: configuration.schedule, sender: sender,
          counts: counts, logger: logger)
        lines.append(Line(number: index + 1, endpoint: endpoint, spool: spool, outlet: outlet))
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
    // The feed begins with the edits after these.
    if let start = feed.id(of: 0).edit { for line in lines { await passEdits(through: start, line, isStart: true) } }
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
      if reading.isBroken {
        logger.error("events came faster than they could be stored for webhooks; some are lost")
        // Not the edits among them; those before an edit follow below.
        if let first = reading.events.first, first.edit == nil, let latest = first.id.edit {
          for line in lines { await passEdits(through: latest, line) }
        }
      }
      place = reading.place
      guard !reading.events.isEmpty else { return place }
      for numbered in reading.events {
        if let edit = numbered.edit, edit <= feed.id(of: numbered.id.number &- 1).edit ?? 0 {
          // Somebody has emptied the log's folder, and edits are counted anew.
          for line in lines { try? await line.spool.pass(edit &- 1) }
        }
        for line in lines {
          if let edit = numbered.edit {
            // Those that the feed no longer has; usually none.
            await passEdits(through: edit &- 1, line)
            guard await line.spool.edit ?? 0 < edit else { continue }
          }
          if line.endpoint.kinds.contains(numbered.event.kind) {
            await add(numbered, to: line)
          } else if let edit = numbered.edit {
            await line.spool.skip(edit)
          }
        }
      }
      // If the disk is full, the same edits are looked at again after a restart.
      for line in lines { try? await line.spool.settle() }
    }
  }

  /// Stores the logged edits up to the one numbered `goal` that the endpoint was not given yet.
  /// - Parameter isStart: true at the start of the service, for which `goal` is the latest edit.
  private func passEdits(through goal: UInt64, _ line: Line, isStart: Bool = false) async {
    do {
      // A new endpoint begins with the next edit, as does everybody after the log was removed.
      guard let first = await line.spool.edit, first <= goal || !isStart else { return try await line.spool.pass(goal) }
      var last = first
      while last < goal, let edits = try feed.edits?.edits(after: last, limit: Webhooks.batch), !edits.isEmpty {
        for edit in edits where edit.number <= goal {
          guard let event = edit.event, line.endpoint.kinds.contains(event.kind) else {
            await line.spool.skip(edit.number)
            continue
          }
          await add(NumberedEvent(id: feed.position, event: event, edit: edit.number), to: line)
        }
        last = edits.last?.number ?? goal
      }
      try await line.spool.settle()
    } catch {
      logger.error(
        "edits could not be read for a webhook", metadata: ["webhook": "\(line.number)", "error": "\(error)"])
    }
  }

  private func add(_ numbered: NumberedEvent, to line: Line) async {
    do {
      guard try await line.spool.add(WebhookDelivery(numbered), edit: numbered.edit) == false else { return }
      counts.add { $0.givenUp += 1 }
    } catch {
      counts.add { $0.givenUp += 1 }
      logger.error(
        "a webhook's delivery could not be stored", metadata: ["webhook": "\(line.number)", "error": "\(error)"])
    }
  }

  private func hasDue(_ lines: [Line]) async -> Bool {
    for line in lines where await line.outlet.hasNews { return true }
    return false
  }
}

/// Counts of delivery results, for `/metrics`.
struct WebhookCounts: Sendable {
  var delivered = 0
  var failedAttempts = 0
  var givenUp = 0
}
