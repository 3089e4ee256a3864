import Foundation
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
  }

  private let worker = RenderWorker(name: "refine", niceness: RefinementQueue.niceness)
  private let state = Mutex(State())
  private let changed = NSCondition()

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
  func refine(in folder: TakeFolder, root: String, options: RenderOptions) async throws -> RenderedTake? {
    try await withCheckedThrowingContinuation { continuation in
      worker.perform { [self] _ in
        continuation.resume(with: Result { try look(at: folder, root: root, options: options) })
      }
    }
  }

  private func look(at folder: TakeFolder, root: String, options: RenderOptions) throws -> RenderedTake? {
    let refiner = try TakeRefiner(folder: folder, root: root)
    // What musicians' own machines recorded is tied to the files as they are.
    guard try !refiner.hasLosslessTracks else { return nil }
    let refinement = try refiner.examine(options: options, proceed)
    guard refinement.isWorthwhile else { return nil }
    return try refiner.replace(by: refinement, options: options, proceed)
  }

  private func proceed() throws {
    if state.withLock({ $0.isStopping }) { throw CancellationError() }
  }

  /// Ends what is being done and takes nothing more.
  func stop() {
    state.withLock { $0.isStopping = true }
    changed.lock()
    changed.broadcast()
    changed.unlock()
    worker.stop()
  }
}
