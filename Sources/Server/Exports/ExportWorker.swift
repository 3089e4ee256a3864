import Foundation
import Synchronization

/// A thread that makes exports, after everything else that the machine has to do.
final class ExportWorker: Sendable {
  /// Much lower than the media loops' and lower than the renders' priority (setpriority).
  private static let niceness: Int32 = 15
  private static let stack = 4 << 20

  private let available = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let isStopping = Atomic(false)

  /// - Parameter work: makes everything that waits; called on the thread after each `wake()`.
  init(name: String, work: @escaping @Sendable () -> Void) {
    let available = self.available
    let ended = self.ended
    let thread = Thread { [weak self] in
      // On Linux the nice value belongs to the thread, and threads that it makes have it too.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, ExportWorker.niceness)
      while true {
        available.wait()
        guard let self, !self.isStopping.load(ordering: .acquiring) else { break }
        work()
      }
      ended.signal()
    }
    thread.name = name
    thread.stackSize = ExportWorker.stack
    thread.start()
  }

  deinit {
    available.signal()
  }

  func wake() { available.signal() }

  /// Ends the thread once its work returns, and waits for that. Not to be called on a thread that others need.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    available.signal()
    ended.wait()
  }
}
