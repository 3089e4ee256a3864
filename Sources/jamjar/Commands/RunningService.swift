import Catalog
import Foundation
import Glibc
import Library
import Logging
import Music
import Recording
import Rooms
import Server
import ServiceLifecycle
import Synchronization

/// The assembled parts of a service that is not yet running.
struct RunningService {
  let broker: Broker
  let index: any CatalogEngine
  let group: ServiceGroup
  /// Keeps other services out of the data folder for as long as this one runs.
  private let sole: FileLock
  private let stop: Settings.Stop?
  private let supervisor: Supervisor?
  private let logger: Logger

  /// Opens the index, fills it from the manifests if it is new or was damaged, and assembles the service.
  ///
  /// - Parameters:
  ///   - onListening: receives the port once the service listens.
  ///   - endsOnSignals: true if SIGTERM and SIGINT complete running takes and end the service within its limit.
  ///   - supervisor: hears that the service is ready, works, or stops.
  /// - Throws: `ConfigurationProblem`, `CatalogError`, `LibraryError.inUse` beside another service, or system errors.
  init(
    _ settings: Settings, logger: Logger, endsOnSignals: Bool = true, supervisor: Supervisor? = nil,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    DescriptorLimit.raise()
    DescriptorLimit.reserve()
    PrivateFiles.withhold()
    let data = settings.rooms.recordings
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    if TakeFolder.isOpenToOthers(data), !PrivateFiles.closeIfFresh(data) {
      logger.warning(
        "other users of this machine can reach the recordings; if that is not meant: chmod o= FOLDER",
        metadata: ["folder": "\(data)"])
    }
    sole = try Library.serving(data)
    index = try await RunningService.openIndex(settings.catalog, logger: logger)
    if case .replaced(let damage) = index.origin {
      logger.warning("the index was damaged and has been set aside", metadata: ["file": "\(damage.path)"])
    }
    let library = try Library(recordings: data, index: index)
    var isFirstStart = index.origin == .created
    if try await !index.isFilled() {
      let count = try await IndexRebuild(library, logger: logger).run()
      try await index.markFilled()
      isFirstStart = isFirstStart && count == 0
      if count > 0 { logger.notice("filled the index from the manifests", metadata: ["takes": "\(count)"]) }
    }
    broker = try Broker(configuration: settings.rooms, index: index, logger: logger)
    let firstSteps = isFirstStart
    let face = try await Assembly(
      settings.server, broker: broker, logger: logger
    ) { port in
      supervisor?.notify(.ready(port: port))
      await onListening(port)
      if firstSteps { logger.notice("\(FirstSteps.sentence(settings.server))") }
    }
    let retention = RetentionService(library, policy: settings.retention, logger: logger)
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .notice)
    // Stopped in reverse order: the rooms first, so that the HTTP server still answers while takes are completed.
    group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: broker.library.watch(logger: logger)), .init(service: face), .init(service: retention),
          .init(service: broker),
        ], logger: quiet))
    stop = endsOnSignals ? settings.stop : nil
    self.supervisor = supervisor
    self.logger = logger
  }

  /// Seconds that a manager waits beyond the limit of a stop, for render processes that complete their takes.
  private static let reserve = 15.0

  /// Attempts to open the index at the start; each waits up to two seconds.
  private static let openings = 30

  /// Opens the index, waiting while another process holds its lock: a backup takes a while.
  private static func openIndex(_ place: CatalogPlace, logger: Logger) async throws -> any CatalogEngine {
    for attempt in 1..<openings {
      do {
        return try await place.open(now: MonotonicClock.wall)
      } catch let error as CatalogError where error.isLocked {
        guard attempt == 1 else { continue }
        logger.warning(
          "another process has the lock of the index; the start waits for it", metadata: ["file": "\(place)"])
      }
    }
    return try await place.open(now: MonotonicClock.wall)
  }

  /// Runs until the service has ended.
  /// - Throws: `StoppedShort` if a signal ended it and the limit was reached before all work was done.
  func run() async throws {
    let (group, broker, ledger, supervisor, logger) = (group, broker, broker.ledger, supervisor, logger)
    defer { withExtendedLifetime(sole) {} }
    let running = Task { try await group.run() }
    // A separate task: it ends with the service, and not before.
    let beating = Task { await supervisor?.keepAlive { try await Pulse.take(of: broker) } }
    defer { beating.cancel() }
    let short = Mutex<StoppedShort?>(nil)
    if let stop {
      try StopWatchdog(drain: stop.drain, limit: stop.limit) { stage in
        switch stage {
        case .stop:
          Task { await group.triggerGracefulShutdown() }
          supervisor?.notify(.stopping(within: stop.drain + stop.limit + RunningService.reserve))
        case .cutOff:
          let what = StoppedShort(cutOff: ledger.sentence)
          short.withLock { $0 = what }
          // The urgent work first: it must not wait for a log that nobody reads.
          running.cancel()
          logger.error("\(what)")
        case .end: logger.critical("\(StoppedShort(cutOff: ledger.sentence)); the process ends now")
        }
      }.start()
    }
    // A separate task, because the watchdog cancels it; cancelling this one would stop the service.
    let result = await withTaskCancellationHandler {
      await running.result
    } onCancel: {
      running.cancel()
    }
    if let short = short.withLock({ $0 }) { throw short }
    try result.get()
    try index.close()
  }
}

/// Keeps recordings from the other users of the machine.
enum PrivateFiles {
  /// Rights that no new file or folder grants: writing to the group, anything to others. Its group may read, for backups.
  static let withheld: mode_t = 0o027

  /// Withholds these rights from everything that this process and its children create from now on. A stricter mask of
  /// the process (umask(2), `UMask=` of a unit) stays in force.
  static func withhold() {
    let before = umask(withheld)
    _ = umask(before | withheld)
  }

  /// Takes all rights from the users beside owner and group of a data folder that is ours and has no takes yet: nobody
  /// can have opened it to them on purpose. A fresh checkout has such a folder, with whatever umask its user had.
  /// - Returns: true if others can reach it no more.
  static func closeIfFresh(_ folder: String) -> Bool {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    let manager = FileManager.default
    guard let status = try? manager.attributesOfItem(atPath: path),
      (status[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
      let mode = (status[.posixPermissions] as? NSNumber)?.uint16Value,
      let names = try? manager.contentsOfDirectory(atPath: path), names.allSatisfy({ $0 == "README.md" })
    else { return false }
    return (try? manager.setAttributes([.posixPermissions: NSNumber(value: mode & ~0o007)], ofItemAtPath: path)) != nil
  }
}
