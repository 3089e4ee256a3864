import Foundation
import Logging
import Music
import Recording
import Synchronization

/// The second look at finished takes: one after the other, on a thread of its own that gets out of everybody's way.
package final class RefinementQueue: Sendable {
  /// How much lower than the media loops' the thread's priority is (setpriority): also behind renders that follow takes.
  private static let niceness: Int32 = 15

  private struct State {
    var waiting: Set<TakeID> = []
    var isStopping = false
    /// Ends the process that looks at a take.
    var ending: (@Sendable () -> Void)?
  }

  private let worker = RenderWorker(name: "refine", niceness: RefinementQueue.niceness)
  private let state = Mutex(State())
  private let changed = NSCondition()
  private let root: String
  private let program: String?
  private let logger: Logger

  /// - Parameters:
  ///   - root: the data folder.
  ///   - program: see `RenderQueue`.
  init(root: String, program: String?, logger: Logger) {
    self.root = root
    self.program = program
    self.logger = logger
  }

  /// Announces that `take` will be looked at, so that nobody builds upon its files meanwhile.
  func enlist(_ take: TakeID) {
    state.withLock { _ = $0.waiting.insert(take) }
  }

  /// The take's files stay as they are.
  func release(_ take: TakeID) {
    state.withLock { _ = $0.waiting.remove(take) }
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }

  /// Returns once the files of `take` will not be replaced any more, or the service stops; on a thread that may wait.
  package func wait(for take: TakeID) {
    changed.lock()
    while state.withLock({ !$0.isStopping && $0.waiting.contains(take) }) { changed.wait() }
    changed.unlock()
  }

  /// Looks at the take in `folder` again; answers what was made anew, nil where nothing had to be.
  /// - Throws: what the render throws, `CancellationError` at the service's end; the take is as it was.
  func refine(_ take: Take, in folder: TakeFolder, options: RenderOptions) async throws -> RenderedTake? {
    try await withCheckedThrowingContinuation { continuation in
      worker.perform { [self] _ in
        continuation.resume(with: Result { try look(at: take, in: folder, options: options) })
      }
    }
  }

  private func look(at take: Take, in folder: TakeFolder, options: RenderOptions) throws -> RenderedTake? {
    try proceed()
    guard let program else { return try TakeRefiner.refine(folder, root: root, options: options, proceed) }
    let process = try RenderProcess(
      program, order: RenderOrder(take: take, root: root, folder: folder.path, options: options),
      niceness: RefinementQueue.niceness, logger: logger)
    let ending = process.ending
    // It may be stopping since it was asked.
    if state.withLock({ state in
      state.ending = ending
      return state.isStopping
    }) {
      ending()
    }
    defer { state.withLock { $0.ending = nil } }
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

  /// Ends what is being done and takes nothing more.
  func stop() {
    state.withLock { state in
      state.isStopping = true
      state.ending?()
    }
    changed.lock()
    changed.broadcast()
    changed.unlock()
    worker.stop()
  }
}
