import Foundation
import Library
import Logging
import Machines
import Music
import NIOPosix
import Recording
import Rooms
import ServiceLifecycle
import Synchronization

/// Receives existing recordings and makes takes of them, one import after the other, in processes that never get in the
/// way of the music.
///
/// The files and the state lie in the data folder and are read at the start: an upload continues after a restart, and an
/// interrupted import is made again.
final class Imports: NamedService {
  let configuration: ImportConfiguration
  let library: Library
  let jobs: JobRunner
  let shelf: ImportShelf
  let reserve: DiskReserve
  let software: String
  let ledger: WorkLedger
  let logger: Logger
  let entries = Mutex<[ImportID: ImportEntry]>([:])
  let isStopping = Atomic(false)
  /// The thread on which processes are waited for.
  private let thread = DispatchQueue(label: "import", qos: .utility)
  private let wakes: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// Interval of looking for imports that nobody continues.
  private static let interval = Duration.seconds(30)

  /// - Parameters:
  ///   - reserve: bytes of the disk for rolling takes.
  ///   - software: name and version of this release.
  init(
    _ configuration: ImportConfiguration, library: Library, jobs: JobRunner, reserve: Int64, software: String,
    ledger: WorkLedger, logger: Logger
  ) {
    self.configuration = configuration
    self.library = library
    self.jobs = jobs
    shelf = ImportShelf(recordings: jobs.root, software: software)
    self.reserve = DiskReserve(recordings: jobs.root, bytes: reserve)
    self.software = software
    self.ledger = ledger
    self.logger = logger
    (wakes, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Reads the imports on disk; must run before the first request.
  func load() async {
    do {
      let found = try await onDisk { [shelf, logger] in
        try shelf.sweep { id, error in
          logger.error("an import cannot be read", metadata: ["import": "\(id)", "error": "\(error)"])
        }
      }
      entries.withLock { entries in for job in found { entries[job.id] = ImportEntry(job) } }
    } catch {
      logger.error("earlier imports cannot be read", metadata: ["error": "\(error)"])
    }
  }

  func entry(_ id: ImportID) -> ImportEntry? { entries.withLock { $0[id] } }

  /// All imports, newest first.
  var list: [ImportJob] { entries.withLock { Array($0.values) }.map(\.job).sorted { $0.id > $1.id } }

  /// Bytes of a room's files that wait to become takes.
  func bytes(of room: RoomName) -> Int64 {
    list.filter { $0.room == room && !$0.state.isOver }.reduce(0) { $0 &+ $1.received }
  }

  func onDisk<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(body)
  }

  /// Runs work that may take long.
  func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
      thread.async { done.resume(with: Result(catching: body)) }
    }
  }

  // MARK: Life

  /// Makes takes until the shutdown; the next process restarts an interrupted import.
  func run() async throws {
    await withGracefulShutdownHandler {
      async let _: Void = wakeEvery(Imports.interval)
      await look()
      for await _ in wakes { await look() }
    } onGracefulShutdown: { [self] in
      isStopping.store(true, ordering: .releasing)
      bell.finish()
    }
  }

  func wake() { bell.yield() }

  private func wakeEvery(_ interval: Duration) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      wake()
    }
  }

  /// Makes what is complete, and drops what nobody continues or asks for.
  private func look() async {
    for entry in entries.withLock({ Array($0.values) }).sorted(by: { $0.id < $1.id }) {
      guard !isStopping.load(ordering: .acquiring) else { return }
      let (now, contents) = (MonotonicClock.wall, entry.now)
      let isDue = contents.retryAt.map { $0 <= MonotonicClock.now } ?? true
      switch contents.job.state {
      case .queued where isDue: await make(entry)
      case .receiving where now.milliseconds &- contents.job.touchedAt.milliseconds > configuration.patience:
        logger.notice("dropped an unfinished import", metadata: ["import": "\(entry.id)"])
        await remove(entry)
      case let state where state.isOver:
        if contents.job.expiry(retention: configuration.retention).map({ $0 <= now }) ?? true { await remove(entry) }
      default: continue
      }
    }
  }

  /// Cancels an import or forgets one that is over; takes that it has made stay.
  func remove(_ entry: ImportEntry) async {
    let isInWork = entry.change { contents in
      contents.isGone = true
      return contents.job.state == .running
    }
    _ = entries.withLock { $0.removeValue(forKey: entry.id) }
    guard isInWork else { return await discard(entry) }
    // The work ends within a moment, and then removes the files; no process that follows this one goes on with it.
    _ = try? await onDisk { [shelf] in entry.locked { shelf.forget(entry.id) } }
  }

  func discard(_ entry: ImportEntry) async {
    _ = try? await onDisk { [shelf] in entry.locked { shelf.remove(entry.id) } }
  }
}
