import Foundation
import Library
import Logging
import Machines
import Music
import NIOPosix
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// Receives lossless copies from the musicians' own machines and aligns them to lossless tracks, one after the other in
/// processes that never get in the way of the music.
///
/// All persistent state lies in the takes' folders and is read at the start.
final class Backups: NamedService {
  struct State {
    var uploads: [BackupID: BackupUpload] = [:]
    /// Backups waiting for alignment.
    var queue: [(upload: BackupUpload, take: Take)] = []
    var isStopping = false
  }

  let configuration: BackupConfiguration
  let index: any TakeIndex
  /// The data folder.
  let recordings: String
  let shelf: BackupShelf
  let jobs: JobRunner
  /// Name and version of this release; see `Attempts`.
  let software: String
  private let feed: EventFeed
  let refinements: RefinementQueue
  let ledger: WorkLedger
  let logger: Logger
  let state = Mutex(State())
  /// Held while a take's list of lossless tracks is changed.
  let lists = Mutex(())
  private let worker = Mutex<ExportWorker?>(nil)

  /// Interval of looking for waiting and abandoned backups.
  private static let interval = Duration.seconds(30)

  init(
    _ configuration: BackupConfiguration, index: any TakeIndex, jobs: JobRunner, software: String, feed: EventFeed,
    refinements: RefinementQueue, ledger: WorkLedger, logger: Logger
  ) {
    self.configuration = configuration
    self.index = index
    self.jobs = jobs
    self.software = software
    recordings = jobs.root
    shelf = BackupShelf(recordings: recordings, software: software)
    self.feed = feed
    self.refinements = refinements
    self.ledger = ledger
    self.logger = logger
  }

  /// Reads the backups on disk; must run before the first request.
  func load() async {
    do {
      let shelf = shelf
      let found = try await NIOThreadPool.singleton.runIfActive { try shelf.sweep() }
      state.withLock { state in for upload in found { state.uploads[upload.id] = upload } }
    } catch {
      logger.error("earlier backups cannot be read", metadata: ["error": "\(error)"])
    }
  }

  func upload(_ id: BackupID) -> BackupUpload? { state.withLock { $0.uploads[id] } }

  /// The backups of a take, oldest first.
  func uploads(of take: TakeID) -> [BackupUpload] {
    state.withLock { $0.uploads.values.filter { $0.take == take } }.sorted { $0.id < $1.id }
  }

  func publish(_ kind: ServiceEventKind, _ contents: BackupUpload.Contents, room: RoomName) {
    feed.publish(kind, room: room, .members(["backup": .object(Representation.backup(contents))]))
  }

  // MARK: Life

  /// Aligns complete backups until the shutdown; the next process restarts an interrupted alignment.
  func run() async throws {
    let thread = ExportWorker(name: "backup-align") { [weak self] in self?.work() }
    worker.withLock { $0 = thread }
    let reader = feed.subscribe()
    await withGracefulShutdownHandler {
      async let _: Void = wakeEvery(Backups.interval, reader)
      var place = feed.position.number
      await look()
      for await _ in reader.wakes {
        let reading = feed.read(after: place, limit: 4_096)
        place = reading.place
        for event in reading.events.map(\.event) where event.kind == .takeDiscarded {
          if case .takeID(let take) = event.content { await forget(take) }
        }
        let isNews = reading.events.contains { Backups.news.contains($0.event.kind) }
        // Nothing new: the timer woke us.
        if isNews || reading.events.isEmpty { await look() }
      }
    } onGracefulShutdown: {
      reader.end()
    }
    state.withLock { $0.isStopping = true }
    try? await NIOThreadPool.singleton.runIfActive { thread.stop() }
  }

  /// Events after which a take may have files, or will never have any.
  private static let news: Set<ServiceEventKind> = [.takeReady, .takeIncomplete, .takeFailed, .takeRestored]

  private func wakeEvery(_ interval: Duration, _ reader: EventReader) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      reader.wake()
    }
  }

  /// Queues backups that can be aligned now and drops abandoned ones.
  func look() async {
    let now = MonotonicClock.wall
    for upload in state.withLock({ Array($0.uploads.values) }).sorted(by: { $0.id < $1.id }) {
      let contents = upload.now
      switch contents.backup.state {
      case .waiting where contents.retryAt.map({ $0 <= MonotonicClock.now }) ?? true:
        guard let take = try? await index.take(upload.take), take.deletedAt == nil else { continue }
        switch take.state {
        case .ready, .incomplete: enqueue(upload, take)
        case .failed: try? await NIOThreadPool.singleton.runIfActive { [self] in noteFailure(of: take, upload) }
        case .rolling, .captured, .rendering: continue
        }
      case .ready where contents.hasOriginal, .refused where contents.hasOriginal:
        guard now.milliseconds - contents.touched.milliseconds > configuration.originals else { continue }
        try? await dropOriginal(of: upload)
      case .receiving where now.milliseconds - contents.touched.milliseconds > configuration.patience,
        .refused where now.milliseconds - contents.backup.createdAt.milliseconds > configuration.patience:
        logger.notice("dropped an unfinished backup", metadata: ["backup": "\(upload.id)"])
        try? await remove(upload)
      default: continue
      }
    }
  }

  /// Forgets the backups of a take that has gone with all its files.
  private func forget(_ take: TakeID) async {
    for upload in uploads(of: take) {
      try? await NIOThreadPool.singleton.runIfActive { upload.locked { $0.isGone = true } }
      drop(upload)
    }
  }

  /// Takes a backup that is gone out of the list and the queue.
  func drop(_ upload: BackupUpload) {
    state.withLock { state in
      state.uploads[upload.id] = nil
      state.queue.removeAll { $0.upload === upload }
    }
  }

  func enqueue(_ upload: BackupUpload, _ take: Take) {
    let isNew = state.withLock { state in
      guard !state.isStopping, !state.queue.contains(where: { $0.upload === upload }) else { return false }
      state.queue.append((upload, take))
      return true
    }
    if isNew { worker.withLock { $0 }?.wake() }
  }
}

/// Settings for receiving and keeping backups.
package struct BackupConfiguration: Hashable, Sendable {
  /// Bytes to keep free on the disk: rolling takes come first.
  package var reserve: Int64
  /// Most backups per participant and take.
  package var perParticipant = 4
  /// Most backups per take, of all participants together, and most that were refused.
  package var perTake = 16
  /// Most bytes of a take's backups together.
  package var bytesPerTake: Int64 = 32 << 30
  /// How long the samples of an aligned backup are kept after their arrival, in milliseconds: 30 days. 0: not at all.
  package var originals: Int64 = 30 * BackupConfiguration.day
  /// A day in milliseconds.
  package static let day: Int64 = 86_400_000
  /// How long a stalled upload and the record of a refused one are kept, in milliseconds: 14 days.
  package var patience: Int64 = 14 * 86_400_000

  package init(reserve: Int64 = 1 << 30) {
    self.reserve = reserve
  }
}
