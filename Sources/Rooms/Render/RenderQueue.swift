import DequeModule
import Foundation
import Logging
import Music
import Recording
import Synchronization

/// The threads that render journals in the background, either directly or with a separate process for each take.
final class RenderQueue: Sendable {
  private let workers: [RenderWorker]
  private let root: String
  private let program: String?
  private let template: WorkerTemplate?
  private let software: String
  private let niceness: Int32
  private let logger: Logger
  /// The worker of each take: the one with the fewest takes at its start.
  private let assignments = Mutex<[TakeID: Int]>([:])

  /// The takes that `finish` completes.
  let finishing = FinishingTakes()

  var workerCount: Int { workers.count }

  /// - Parameters:
  ///   - name: prefix of the threads' names, followed by a number.
  ///   - niceness: see `RenderWorker`.
  ///   - root: the data folder.
  ///   - program: the executable that renders a take (see `RenderProcess`); nil if the threads do.
  ///   - template: of which the processes are copies, if there is one.
  ///   - software: name and version of this release; see `Attempts`.
  init(
    workerCount: Int, name: String = "render", niceness: Int32 = 5, root: String, program: String?,
    template: WorkerTemplate? = nil, software: String, logger: Logger
  ) {
    workers = (0..<max(1, workerCount)).map { RenderWorker(name: "\(name)-\($0)", niceness: niceness) }
    self.root = root
    self.program = program
    self.template = template
    self.software = software
    self.niceness = niceness
    self.logger = logger
  }

  private func worker(for take: TakeID) -> RenderWorker {
    assignments.withLock { assignments in
      if let assigned = assignments[take] { return workers[assigned] }
      var loads = [Int](repeating: 0, count: workers.count)
      for worker in assignments.values { loads[worker] += 1 }
      let idlest = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      assignments[take] = idlest
      return workers[idlest]
    }
  }

  private func release(_ take: TakeID) {
    assignments.withLock { _ = $0.removeValue(forKey: take) }
  }

  /// Starts a render of `take` from its journal's beginning, or where the last checkpoint was made: in a process, or here
  /// if the system provides none.
  ///
  /// - Parameter counts: whether an attempt in the service itself is counted on disk.
  private func begin(
    _ take: Take, in folder: TakeFolder, options: RenderOptions, counts: Bool
  ) throws -> any TakeRendering {
    guard let program else { return try TakeRenderer(folder: folder, take: take, options: options) }
    do {
      return try RenderProcess(
        program, template: template, order: RenderOrder(take: take, root: root, folder: folder.path, options: options),
        niceness: niceness, logger: logger)
    } catch WorkerProcess.Loss.notStarted(let failure) {
      // A journal that ends this process must not end the next ones too.
      if counts { try attempts(in: folder).begin() }
      logger.warning(
        "no render process can be started; the service renders the take itself",
        metadata: ["take": "\(take.id)", "error": "\(failure)"])
      return try TakeRenderer(folder: folder, take: take, options: options)
    }
  }

  /// The count of attempts at the take in `folder`.
  private func attempts(in folder: TakeFolder) -> AttemptCount {
    AttemptCount(Attempts.renderName, in: folder, by: software)
  }

  /// Renders the new part of the journal as far as it can no longer change.
  func follow(_ take: Take, in folder: TakeFolder, options: RenderOptions) {
    worker(for: take.id).perform { [self] renderers in
      renderers[
        take.id,
        default: RollingTake { [self] in
          // Its end is counted: a start after a fault here comes to `finish`.
          try begin(take, in: folder, options: options, counts: false)
        }
      ].follow(at: MonotonicClock.now)
    }
  }

  /// Renders the rest and completes the take's files.
  /// - Throws: errors of the renderer; the journal is untouched and can be rendered again.
  func finish(_ take: Take, in folder: TakeFolder, options: RenderOptions, notes: [String] = []) async throws
    -> RenderedTake
  {
    finishing.begin()
    defer {
      finishing.end()
      release(take.id)
    }
    return try await withCheckedThrowingContinuation { continuation in
      worker(for: take.id).perform { [self] renderers in
        let attempts = attempts(in: folder)
        // The folder may have changed since the take's start.
        let again = { [self] in
          try attempts.check()
          return try begin(take, in: folder, options: options, counts: program != nil)
        }
        var rolling = renderers.removeValue(forKey: take.id) ?? RollingTake(again)
        continuation.resume(
          with: Result {
            do {
              let rendered = try rolling.finish(notes: notes, again: again) { loss in
                if loss.isItsOwnFault { attempts.lost(loss) }
              }
              attempts.clear()
              return rendered
            } catch {
              attempts.end(error)
              throw error
            }
          })
      }
    }
  }

  /// Discards a take that is not wanted.
  func discard(_ take: TakeID) {
    worker(for: take).perform { renderers in renderers[take] = nil }
    release(take)
  }

  func stop() {
    for worker in workers { worker.stop() }
  }
}

/// A thread that renders takes; each take stays with one worker, and only that worker uses its renderer.
final class RenderWorker: Sendable {
  /// The renderers of this worker by take.
  typealias Renderers = [TakeID: RollingTake]
  typealias Job = @Sendable (inout Renderers) -> Void

  private let jobs = Mutex(Deque<Job?>())
  private let available = DispatchSemaphore(value: 0)

  /// - Parameter niceness: see `WorkerThread`.
  init(name: String, niceness: Int32 = 5) {
    _ = WorkerThread(name, niceness: niceness, stack: WorkerThread.renderingStack) { [self] in run() }
  }

  func perform(_ job: @escaping Job) {
    jobs.withLock { $0.append(job) }
    available.signal()
  }

  /// Ends the thread after the queued jobs.
  func stop() {
    jobs.withLock { $0.append(nil) }
    available.signal()
  }

  private func run() {
    var renderers: Renderers = [:]
    while true {
      available.wait()
      guard let job = jobs.withLock({ $0.popFirst() }) ?? nil else { return }
      job(&renderers)
    }
  }
}
