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

/// Makes exports in order, in processes that never disturb the music, and keeps them for a while.
final class Exports: NamedService {
  private struct State {
    var book: ExportBook
    var orders: [String: ExportOrder] = [:]
    var isStopping = false
  }

  let configuration: ExportConfiguration
  private let jobs: JobRunner
  private let shelf: ExportShelf
  let index: any TakeIndex
  let feed: EventFeed
  private let ledger: WorkLedger
  let logger: Logger
  private let state: Mutex<State>
  private let workers: Mutex<[ExportWorker]> = Mutex([])

  /// Interval of removing expired exports.
  private static let sweepInterval = Duration.seconds(30)
  /// Minimum interval between progress events.
  private static let progressInterval = MonotonicTime.Span.milliseconds(500)

  /// - Parameter software: name and version of this release; see `Attempts`.
  init(
    _ configuration: ExportConfiguration, index: any TakeIndex, jobs: JobRunner, software: String, feed: EventFeed,
    ledger: WorkLedger, logger: Logger
  ) {
    self.configuration = configuration
    self.index = index
    self.jobs = jobs
    shelf = ExportShelf(recordings: jobs.root, software: software)
    self.feed = feed
    self.ledger = ledger
    self.logger = logger
    state = Mutex(
      State(
        book: ExportBook(
          queueLimit: configuration.queueLimit, capacity: configuration.capacity, retention: configuration.retention)))
  }

  // MARK: Requests

  var list: [ExportJob] { state.withLock { $0.book.list } }

  func job(_ id: String) -> ExportJob? { state.withLock { $0.book.jobs[id] } }

  /// Adds an export, or finds an existing equal one.
  ///
  /// - Parameter isPrivileged: whether the operator's reserve is open to it.
  /// - Throws: `FileProblem`, `isTooLarge` if no process could be given the order.
  func submit(
    _ job: ExportJob, _ order: ExportOrder, isPrivileged: Bool
  ) async throws(FileProblem) -> ExportBook.Submission {
    let isKnown = state.withLock { state in state.book.jobs[job.id].map { $0.state != .failed } ?? false }
    if !isKnown { try await store(job, order) }
    let submission = state.withLock { state in
      guard !state.isStopping else { return ExportBook.Submission.full(ofRoom: nil) }
      let submission = state.book.submit(job, isPrivileged: isPrivileged)
      if case .queued = submission { state.orders[job.id] = order }
      return submission
    }
    switch submission {
    case .queued(let job):
      publish(.exportQueued, job)
      wakeWorkers()
      // A take deleted from now on takes its exports along; one deleted since it was looked up did so without this one.
      if await isDeleted(job.take) { _ = await remove(job.id) }
    case .full where !isKnown: await discard([job.id])
    case .full, .existing: break
    }
    return submission
  }

  /// Writes the order down before the export is known: one cancelled at once must leave no order.
  private func store(_ job: ExportJob, _ order: ExportOrder) async throws(FileProblem) {
    do {
      let shelf = shelf
      try await NIOThreadPool.singleton.runIfActive { try shelf.store(job, order) }
    } catch {
      guard let problem = error as? FileProblem, problem.isTooLarge else {
        return logger.warning(
          "an export would not survive a restart", metadata: ["export": "\(job.id)", "error": "\(error)"])
      }
      await discard([job.id])
      throw problem
    }
  }

  private func wakeWorkers() {
    for worker in workers.withLock({ $0 }) { worker.wake() }
  }

  /// Cancels an export or removes its file; nil if it does not exist.
  func remove(_ id: String) async -> ExportJob? {
    let removal = state.withLock { state in
      state.orders[id] = nil
      return state.book.remove(id, at: MonotonicClock.wall)
    }
    guard let removal else { return nil }
    if !removal.wasOver { publish(.exportCancelled, removal.job) }
    if !removal.isStillWritten { await discard([id]) }
    return removal.job
  }

  private func discard(_ ids: [String]) async {
    guard !ids.isEmpty else { return }
    let shelf = shelf
    try? await NIOThreadPool.singleton.runIfActive { for id in ids { shelf.remove(id) } }
  }

  // MARK: Life

  /// Finds the exports of former processes; must run before the first request.
  func load() async {
    do {
      let shelf = shelf
      let found = try await NIOThreadPool.singleton.runIfActive { try shelf.sweep() }
      state.withLock { state in
        for job in found.finished { state.book.restore(job) }
        for waiting in found.waiting {
          guard case .queued(let job) = state.book.submit(waiting.job) else { continue }
          state.orders[job.id] = waiting.order
        }
      }
    } catch {
      logger.error("the exports of before cannot be looked through", metadata: ["error": "\(error)"])
    }
  }

  /// Makes exports until the shutdown, which abandons running ones to the next start.
  func run() async throws {
    let made = (0..<configuration.workers).map { number in
      ExportWorker(name: "export-\(number)") { [weak self] in self?.work() }
    }
    workers.withLock { $0 = made }
    for worker in made { worker.wake() }
    let reader = feed.subscribe()
    await withGracefulShutdownHandler {
      async let _: Void = wakeEvery(Exports.sweepInterval, reader)
      var place = feed.position.number
      // Takes are also deleted while no service runs.
      await removeOfAbsentTakes()
      for await _ in reader.wakes {
        place = await removeOfDeletedTakes(after: place)
        await discard(state.withLock { $0.book.expire(at: MonotonicClock.wall).map(\.id) })
      }
    } onGracefulShutdown: {
      reader.end()
    }
    state.withLock { $0.isStopping = true }
    // The threads end after their current block; they are joined where blocking is harmless.
    try? await NIOThreadPool.singleton.runIfActive { for worker in made { worker.stop() } }
  }

  private func wakeEvery(_ interval: Duration, _ reader: EventReader) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      reader.wake()
    }
  }

  // MARK: Work, on a worker's thread

  private func work() {
    while let (job, order) = state.withLock({ state -> (ExportJob, ExportOrder)? in
      guard !state.isStopping, let job = state.book.start(), let order = state.orders.removeValue(forKey: job.id)
      else { return nil }
      return (job, order)
    }) {
      make(job, order)
    }
  }

  private func make(_ job: ExportJob, _ order: ExportOrder) {
    ledger.begin(.export, job.id)
    defer { ledger.end(.export, job.id) }
    publish(.exportProgress, job)
    do {
      let attempts = try shelf.attempts(at: job.id)
      // In a process of its own, its loss is counted: what ends the service too says nothing about the export.
      if jobs.hasProcesses { try attempts.check() } else { try attempts.begin() }
      do {
        var told = MonotonicClock.now
        let result = try jobs.run(.export(id: job.id, order)) { [self] progress in
          try advance(job.id, to: progress, &told)
        }
        guard case .exported(let file, let size) = result else { throw JobRunner.WrongResult() }
        finish(job, file: file, size: size)
      } catch let loss as WorkerProcess.Loss {
        attempts.lost(loss)
        guard attempts.now.count < Attempts.limit else {
          throw AttemptsExhausted(count: Attempts.limit, problem: loss.description)
        }
        retry(job, order, after: loss, attempts.now.count)
      } catch {
        attempts.end(error)
        throw error
      }
    } catch {
      fail(job, error)
    }
  }

  /// Queues an export again whose process was lost, after a pause.
  private func retry(_ job: ExportJob, _ order: ExportOrder, after loss: WorkerProcess.Loss, _ count: Int) {
    shelf.clear(job.id)
    let postponed = state.withLock { state in
      let postponed = state.book.postpone(job.id)
      if postponed != nil { state.orders[job.id] = order }
      return postponed
    }
    guard let postponed else { return shelf.remove(job.id) }
    logger.warning(
      "an export's process was lost; it is made again",
      metadata: ["export": "\(job.id)", "take": "\(job.take)", "attempt": "\(count)", "reason": "\(loss)"])
    publish(.exportQueued, postponed)
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Attempts.pause(after: count))) { [weak self] in
      self?.state.withLock { $0.book.resume(job.id) }
      self?.wakeWorkers()
    }
  }

  /// Records and publishes the progress of an export; nil if it has made none.
  /// - Throws: `CancellationError` if it was cancelled.
  private func advance(_ id: String, to progress: Double?, _ told: inout MonotonicTime) throws {
    let job = state.withLock { state -> ExportJob? in
      guard !state.isStopping, state.book.advance(id, to: progress ?? 0) else { return nil }
      return state.book.jobs[id]
    }
    guard let job else { throw CancellationError() }
    guard progress != nil else { return }
    let now = MonotonicClock.now
    guard now - told >= Exports.progressInterval else { return }
    told = now
    publish(.exportProgress, job)
  }

  private func finish(_ job: ExportJob, file: String, size: Int64) {
    var finished = job
    (finished.state, finished.progress, finished.file, finished.size) = (.done, 1, file, size)
    finished.finishedAt = MonotonicClock.wall
    do {
      // Before publishing: an export published as done must survive a restart.
      try shelf.record(finished)
    } catch {
      return fail(job, error)
    }
    let kept = state.withLock {
      $0.book.finish(job.id, file: file, size: size, at: finished.finishedAt ?? MonotonicClock.wall)
    }
    guard let kept else { return shelf.remove(job.id) }
    publish(.exportDone, kept)
  }

  private func fail(_ job: ExportJob, _ error: any Error) {
    let isCancelled = error is CancellationError
    // Not cancelled by anybody, but by the shutdown: the next start makes it.
    guard !isCancelled || state.withLock({ !$0.isStopping || $0.book.isUnwanted(job.id) }) else {
      return shelf.clear(job.id)
    }
    shelf.remove(job.id)
    let failed = state.withLock {
      $0.book.fail(job.id, problem: isCancelled ? "it was cancelled" : "\(error)", at: MonotonicClock.wall)
    }
    guard let failed, !isCancelled else { return }
    logger.error("an export failed", metadata: ["export": "\(job.id)", "take": "\(job.take)", "error": "\(error)"])
    publish(.exportFailed, failed)
  }

  private func publish(_ kind: ServiceEventKind, _ job: ExportJob) {
    let export = Representation.export(job, retention: configuration.retention)
    feed.publish(kind, room: job.room, .members(["export": .object(export)]))
  }
}
