import Foundation
import Logging
import Music
import Recording
import Synchronization

/// The second pass over finished takes: one after the other, on a low-priority thread.
package final class RefinementQueue: Sendable {
  /// Nice value of the thread relative to the media loops (setpriority); also below renders that follow takes.
  private static let niceness: Int32 = 15

  private struct State {
    /// Takes that will be examined.
    var waiting: Set<TakeID>
    /// Those among them that an earlier process left, and that nobody has enlisted yet.
    var left: Set<TakeID>
    var isStopping = false
    /// Ends the process that examines a take.
    var ending: (@Sendable () -> Void)?
  }

  private let worker = RenderWorker(name: "refine", niceness: RefinementQueue.niceness)
  private let state: Mutex<State>
  private let changed = NSCondition()
  private let pending: PendingRefinements
  private let root: String
  private let program: String?
  private let template: WorkerTemplate?
  private let logger: Logger

  /// - Parameters:
  ///   - root: the data folder.
  ///   - program: see `RenderQueue`.
  ///   - template: of which the processes are copies, if there is one.
  init(root: String, program: String?, template: WorkerTemplate? = nil, logger: Logger) {
    self.root = root
    self.program = program
    self.template = template
    self.logger = logger
    pending = PendingRefinements(root: root)
    let left = pending.takes
    state = Mutex(State(waiting: left, left: left))
  }

  /// Announces that `take` will be examined: nothing else is based on its files meanwhile, and if this process does not
  /// live to do it, the next one will.
  func enlist(_ take: TakeID) async {
    state.withLock {
      $0.waiting.insert(take)
      $0.left.remove(take)
    }
    do {
      try await pending.add(take)
    } catch {
      logger.warning(
        "a second look would be lost by a stop", metadata: ["take": "\(take)", "error": "\(error)"])
    }
  }

  /// The takes of earlier processes that nobody has enlisted; they wait until somebody does, or releases them.
  var left: Set<TakeID> { state.withLock { $0.left } }

  /// Reports that the take's files remain as they are.
  /// - Parameter isOver: false if the next process is to examine the take.
  func release(_ take: TakeID, isOver: Bool = true) async {
    state.withLock {
      $0.waiting.remove(take)
      $0.left.remove(take)
    }
    wakeThoseWhoWait()
    // What cannot be forgotten is examined once more, and found to be right.
    if isOver { try? await pending.remove(take) }
  }

  /// Waits until the files of `take` will no longer be replaced, or the service stops; blocks the thread.
  package func wait(for take: TakeID) {
    changed.lock()
    while state.withLock({ !$0.isStopping && $0.waiting.contains(take) }) { changed.wait() }
    changed.unlock()
  }

  /// Examines the take in `folder` again; returns the refined take, nil if nothing had to change.
  /// - Throws: errors of the render, `CancellationError` at shutdown; the take is unchanged then.
  func refine(_ take: Take, in folder: TakeFolder, options: RenderOptions) async throws -> RenderedTake? {
    // The thread of a stopped queue does nothing any more.
    try proceed()
    return try await withCheckedThrowingContinuation { continuation in
      worker.perform { [self] _ in
        continuation.resume(with: Result { try look(at: take, in: folder, options: options) })
      }
    }
  }

  private func look(at take: Take, in folder: TakeFolder, options: RenderOptions) throws -> RenderedTake? {
    try proceed()
    guard let program else { return try TakeRefiner.refine(folder, root: root, options: options, proceed) }
    let process = try RenderProcess(
      program, template: template, order: RenderOrder(take: take, root: root, folder: folder.path, options: options),
      niceness: RefinementQueue.niceness, logger: logger)
    let ending = process.ending
    // It may have been stopped since the request.
    if state.withLock({ state in
      state.ending = ending
      return state.isStopping
    }) {
      ending()
    }
    defer {
      state.withLock { $0.ending = nil }
      // The process may not remove the folder of the folders that it works in.
      try? TakeFolder.delete(TakeRefiner.workplace, in: root)
    }
    do {
      return try process.refine()
    } catch {
      try proceed()
      throw error
    }
  }

  private func proceed() throws {
    if state.withLock({ $0.isStopping }) { throw CancellationError() }
  }

  /// Ends the current work and accepts no more.
  func stop() {
    state.withLock { state in
      state.isStopping = true
      state.ending?()
    }
    wakeThoseWhoWait()
    worker.stop()
  }

  private func wakeThoseWhoWait() {
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }
}
