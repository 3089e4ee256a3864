import Foundation

/// A named thread of the system's for work that waits or takes long: it starts at once and ends with its work.
///
/// How the work is told to stop is its own business: a queue's last entry, a descriptor, a semaphore. Nothing here waits
/// for it but `join()`, and a thread whose `WorkerThread` is let go of goes on.
package final class WorkerThread: Sendable {
  /// Stack of a thread that renders, in bytes.
  package static let renderingStack = 4 << 20

  private let done = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - niceness: how much lower than the media loops' the thread's priority is (setpriority): music that is heard
  ///     comes before files that are made. Nil leaves it that of the thread that calls.
  ///   - stack: in bytes, nil for the system's usual one.
  package init(
    _ name: String, niceness: Int32? = nil, stack: Int? = nil, _ work: @escaping @Sendable () -> Void
  ) {
    let thread = Thread { [done] in
      // On Linux the nice value belongs to the thread, and threads that it makes have it too.
      if let niceness { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
      work()
      done.signal()
    }
    thread.name = name
    if let stack { thread.stackSize = stack }
    thread.start()
  }

  /// Waits until the work has ended, however often it is asked. Not to be called on a thread that others need.
  package func join() {
    done.wait()
    done.signal()
  }
}
