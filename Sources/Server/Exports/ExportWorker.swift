import Dispatch
import Recording
import Synchronization

/// A thread that makes exports, at a lower priority than all other work.
final class ExportWorker: Sendable {
  /// Priority far below that of the media loops, and below that of renders.
  private static let niceness: Int32 = 15

  private let bell = Bell()
  private let thread: WorkerThread

  /// - Parameter work: makes all waiting exports; called on the thread after each `wake()`.
  init(name: String, work: @escaping @Sendable () -> Void) {
    thread = WorkerThread(
      name, niceness: ExportWorker.niceness, stack: WorkerThread.renderingStack
    ) { [bell] in
      while bell.wait() { work() }
    }
  }

  deinit {
    bell.stop()
  }

  func wake() { bell.ring() }

  /// Ends the thread once its work returns, and waits for that. Not to be called on a thread that others need.
  func stop() {
    bell.stop()
    thread.join()
  }

  /// The bell that wakes the thread; may outlive the worker for a moment.
  private final class Bell: Sendable {
    private let available = DispatchSemaphore(value: 0)
    private let isStopping = Atomic(false)

    /// Waits for the next ring; false if there will be no more.
    func wait() -> Bool {
      available.wait()
      return !isStopping.load(ordering: .acquiring)
    }

    func ring() { available.signal() }

    func stop() {
      isStopping.store(true, ordering: .releasing)
      available.signal()
    }
  }
}
