import Dispatch
import Machines
import Recording

/// Single calls to the disk, one at a time on a thread of their own: making a folder can take as long as the disk likes.
/// Neither a loop with musicians on it may wait for that (`DiskWriter` does the same for journals), nor a thread of
/// Swift's pool, which has as many as the machine has cores.
package final class DiskErrands: Sendable {
  /// How long an errand waits for file descriptors. Connections release theirs within a moment, and a take must not be
  /// given up while its music is kept in memory.
  package static let patience = MonotonicTime.Span.seconds(15)
  private static let pause = MonotonicTime.Span.milliseconds(100)

  private let queue = DispatchQueue(label: "disk-errands")

  package init() {}

  /// Returns the result of `body`, retried for some seconds if it fails for lack of a descriptor.
  /// - Throws: errors of `body`.
  package func run<Value: Sendable>(
    within patience: MonotonicTime.Span = patience, _ body: @escaping @Sendable () throws(FileProblem) -> Value
  ) async throws(FileProblem) -> Value {
    let deadline = MonotonicClock.now + patience
    while true {
      let result = await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Value, FileProblem>, Never>) in
        queue.async {
          do throws(FileProblem) {
            continuation.resume(returning: .success(try body()))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
      switch result {
      case .success(let value): return value
      case .failure(let problem):
        guard problem.isOutOfDescriptors, MonotonicClock.now < deadline else { throw problem }
      }
      await Deadline.pause(DiskErrands.pause)
    }
  }
}
