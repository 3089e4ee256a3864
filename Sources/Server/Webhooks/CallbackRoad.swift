import Logging
import Recording

/// The way of callbacks that other interfaces define, each to an address of its own: as webhooks, signed, repeated until
/// they are accepted, in order for each address, and only to addresses that a webhook may have.
struct CallbackRoad: Sendable {
  /// One address and what leads to it.
  struct Line: Sendable {
    /// For the log: without a secret, and without the address.
    var name: String
    /// The name of the line's folder, stable across restarts; letters, digits and dashes only.
    var key: String
    var endpoint: WebhookEndpoint
  }

  let configuration: WebhookConfiguration
  /// The data folder.
  let recordings: String
  let sender: WebhookSender
  let counts: Counter<WebhookCounts>
  let logger: Logger
  private let spools = SpoolShelf()

  init(
    _ configuration: WebhookConfiguration, recordings: String, sender: WebhookSender, counts: Counter<WebhookCounts>,
    logger: Logger
  ) {
    (self.configuration, self.recordings, self.sender) = (configuration, recordings, sender)
    (self.counts, self.logger) = (counts, logger)
  }

  /// Stores a delivery behind all others of its line; one that cannot be stored is counted and logged.
  func add(_ delivery: WebhookDelivery, to line: Line) async {
    do {
      guard try await spools.spool(line.key, in: recordings).add(delivery) == false else { return }
      counts.add { $0.givenUp += 1 }
    } catch {
      counts.add { $0.givenUp += 1 }
      logger.error("a callback could not be stored", metadata: ["callback": "\(line.name)", "error": "\(error)"])
    }
  }

  /// Deletes what waits for an address that wants nothing any more.
  func end(_ line: Line) async {
    await (try? spools.spool(line.key, in: recordings))?.close()
  }

  /// Delivers what waits, until the task is cancelled.
  func deliver(_ line: Line) async {
    do {
      let spool = try await spools.spool(line.key, in: recordings)
      await WebhookOutlet(
        name: line.name, endpoint: line.endpoint, spool: spool, schedule: configuration.schedule, sender: sender,
        counts: counts, logger: logger
      ).deliver()
    } catch {
      logger.error(
        "the folder of a callback cannot be opened", metadata: ["callback": "\(line.name)", "error": "\(error)"])
    }
  }
}

/// The spools of callbacks, each opened once.
private actor SpoolShelf {
  private var opening: [String: Task<WebhookSpool, any Error>] = [:]

  func spool(_ key: String, in recordings: String) async throws -> WebhookSpool {
    let task = opening[key] ?? Task { try await WebhookSpool(key, in: recordings) }
    opening[key] = task
    do {
      return try await task.value
    } catch {
      opening[key] = nil
      throw error
    }
  }
}
