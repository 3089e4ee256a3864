import Foundation
import Logging
import NIOPosix
import Recording
import Rooms
import Synchronization

/// Has the files of archives made, one after the other, in processes that never get in the way of the music.
final class OpenTokArchiveWorkshop: Sendable {
  typealias Answer = @Sendable (Result<StreamArchiveFile, any Error>) -> Void

  private struct State {
    var queue: [(order: StreamArchiveOrder, answer: Answer)] = []
    var isStopping = false
  }

  /// A lost process is replaced so often.
  private static let attempts = 3

  private let jobs: JobRunner
  private let refinements: RefinementQueue
  private let logger: Logger
  private let state = Mutex(State())
  private let worker = Mutex<ExportWorker?>(nil)

  init(jobs: JobRunner, refinements: RefinementQueue, logger: Logger) {
    (self.jobs, self.refinements, self.logger) = (jobs, refinements, logger)
  }

  func begin() {
    let thread = ExportWorker(name: "opentok-archives") { [weak self] in self?.work() }
    worker.withLock { $0 = thread }
    thread.wake()
  }

  /// - Parameter answer: called on the workshop's thread; with `CancellationError` if the service ends first.
  func make(_ order: StreamArchiveOrder, answer: @escaping Answer) {
    state.withLock { $0.queue.append((order, answer)) }
    worker.withLock { $0 }?.wake()
  }

  func end() async {
    state.withLock { $0.isStopping = true }
    guard let thread = worker.withLock({ $0 }) else { return }
    try? await NIOThreadPool.singleton.runIfActive { thread.stop() }
  }

  private func work() {
    while let (order, answer) = state.withLock({ $0.isStopping || $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) {
      answer(Result { try make(order) })
    }
  }

  private func make(_ order: StreamArchiveOrder) throws -> StreamArchiveFile {
    // A second look at a take would move its tracks against the archive's.
    for span in order.spans { refinements.wait(for: span.take) }
    var attempt = 1
    while true {
      do {
        let result = try jobs.run(.streams(order)) { [self] _ in
          if state.withLock({ $0.isStopping }) { throw CancellationError() }
        }
        guard case .streams(let file) = result else { throw JobRunner.WrongResult() }
        return file
      } catch let loss as WorkerProcess.Loss where attempt < OpenTokArchiveWorkshop.attempts {
        logger.warning(
          "the process of an archive was lost; it is made again",
          metadata: ["archive": "\(order.id)", "attempt": "\(attempt)", "reason": "\(loss)"])
        attempt += 1
      }
    }
  }
}
