import Library
import Logging
import Music
import NIOPosix
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// Has the segments for listening made, of one take after the other, in processes that never get in the way of the music:
/// when a take is ready, and when somebody wants to hear one that has none.
///
/// Its only persistent state are the segments in the takes' folders. What was not finished when the service ended is made
/// when it is next wanted.
final class ListeningRoad: NamedService {
  struct State {
    /// Takes waiting, those that somebody wants to hear first.
    var queue: [Take] = []
    /// The take in work.
    var current: TakeID?
    /// Takes that could not be made here; they are played as FLAC.
    var failed: Set<TakeID> = []
    var isStopping = false
  }

  /// The name of the file that counts attempts, in a take's folder.
  private static let attemptsName = "listening.attempts"
  /// Most takes waiting: more are made when they are wanted.
  private static let longestQueue = 64
  /// Newest takes that are looked at when the service starts.
  private static let newest = 20

  private let index: any TakeIndex
  private let jobs: JobRunner
  /// Bytes to keep free on the disk.
  private let reserve: Int64
  /// Name and version of this release; see `Attempts`.
  private let software: String
  /// True if segments are made of every take that gets ready.
  private let isAhead: Bool
  private let feed: EventFeed
  private let refinements: RefinementQueue
  private let logger: Logger
  private let state = Mutex(State())
  private let worker = Mutex<ExportWorker?>(nil)

  init(
    index: any TakeIndex, jobs: JobRunner, reserve: Int64, software: String, isAhead: Bool,
    feed: EventFeed, refinements: RefinementQueue, logger: Logger
  ) {
    self.index = index
    self.jobs = jobs
    self.reserve = reserve
    self.software = software
    self.isAhead = isAhead
    self.feed = feed
    self.refinements = refinements
    self.logger = logger
  }

  /// Has the segments of a take made. It may have them already.
  /// - Parameter isWanted: true if somebody waits for them.
  /// - Returns: false for a take that gets none: in the trash, or without files.
  @discardableResult
  func make(_ take: Take, isWanted: Bool) -> Bool {
    guard ListeningRoad.hasFiles(take) else { return false }
    let isNew = state.withLock { state in
      guard !state.isStopping, state.current != take.id, !state.failed.contains(take.id) else { return false }
      let known = state.queue.firstIndex { $0.id == take.id }
      if let known {
        guard isWanted, known > 0 else { return false }
        state.queue.remove(at: known)
      }
      guard isWanted || state.queue.count < ListeningRoad.longestQueue else { return false }
      state.queue.insert(take, at: isWanted ? 0 : state.queue.count)
      if state.queue.count > ListeningRoad.longestQueue { state.queue.removeLast() }
      return known == nil
    }
    if isNew { worker.withLock { $0 }?.wake() }
    return true
  }

  // MARK: Life

  /// Makes segments until the shutdown.
  func run() async throws {
    let thread = ExportWorker(name: "listening") { [weak self] in self?.work() }
    worker.withLock { $0 = thread }
    let reader = feed.subscribe()
    await withGracefulShutdownHandler {
      var place = feed.position.number
      if isAhead { await lookAtNewest() }
      for await _ in reader.wakes where isAhead { place = await note(after: place) }
    } onGracefulShutdown: {
      reader.end()
    }
    state.withLock { $0.isStopping = true }
    try? await NIOThreadPool.singleton.runIfActive { thread.stop() }
  }

  /// The last process may have ended before it made them.
  private func lookAtNewest() async {
    var query = TakeQuery()
    query.limit = ListeningRoad.newest
    for take in (try? await index.takes(query).items) ?? [] where ListeningRoad.hasFiles(take) {
      make(take, isWanted: false)
    }
  }

  private func note(after start: UInt64) async -> UInt64 {
    var place = start
    while true {
      let reading = feed.read(after: place, limit: 256)
      place = reading.place
      guard !reading.events.isEmpty else { return place }
      for numbered in reading.events {
        guard let id = ListeningRoad.news(numbered.event), let take = try? await index.take(id),
          ListeningRoad.hasFiles(take)
        else { continue }
        make(take, isWanted: false)
      }
    }
  }

  private static func hasFiles(_ take: Take) -> Bool {
    take.deletedAt == nil && (take.state == .ready || take.state == .incomplete)
  }

  /// The take that has new files by an event.
  private static func news(_ event: ServiceEvent) -> TakeID? {
    switch (event.kind, event.content) {
    case (.takeReady, .take(let take)), (.takeIncomplete, .take(let take)): take.id
    case (.takeRefined, .refined(let take, _)): take.id
    case (.backupReady, .members(let members)): members["backup"]?.object?["take"]?.string.flatMap { TakeID($0) }
    default: nil
    }
  }

  // MARK: Work, on the thread

  private func work() {
    while let take = state.withLock({ state -> Take? in
      guard !state.isStopping, !state.queue.isEmpty else { return nil }
      let take = state.queue.removeFirst()
      state.current = take.id
      return take
    }) {
      make(take)
      state.withLock { $0.current = nil }
    }
  }

  private func make(_ take: Take) {
    // A second look at the take would make its files anew.
    refinements.wait(for: take.id)
    var attempts: AttemptCount?
    do {
      let folder = try TakeFolder(existing: take.folder, in: jobs.root)
      guard try ListeningMaker(in: folder).isMissing else { return }
      guard try DiskSpace(at: jobs.root).available >= reserve else { return }
      let counted = AttemptCount(ListeningRoad.attemptsName, in: folder, by: software)
      if jobs.hasProcesses {
        attempts = counted
        try counted.check()
      }
      let result = try jobs.run(.listening(folder: take.folder)) { [self] _ in
        if state.withLock({ $0.isStopping }) { throw CancellationError() }
      }
      guard case .listening(let made) = result else { throw JobRunner.WrongResult() }
      attempts?.clear()
      logger.debug("made segments for listening", metadata: ["take": "\(take.id)", "files": "\(made)"])
    } catch is CancellationError {
      // The next start makes them.
    } catch {
      // A full disk, a deleted take and a store that is away are no fault of the work.
      guard !(error is StoreFailure) else { return }
      guard (error as? any DiskProblem)?.isDiskFull != true, (error as? FileProblem)?.isMissing != true else { return }
      let isOver = error is AttemptsExhausted
      if !isOver { attempts?.lost(error) }
      if isOver || attempts == nil { state.withLock { _ = $0.failed.insert(take.id) } }
      logger.warning(
        "no segments for listening; the take is played as FLAC", metadata: ["take": "\(take.id)", "error": "\(error)"])
    }
  }
}
