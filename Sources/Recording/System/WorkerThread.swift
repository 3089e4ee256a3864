import Foundation

/// A named system thread for work that blocks or takes long: it starts at once and ends with its work.
///
/// Stopping the work is left to the work itself: a queue's last entry, a descriptor, a semaphore. Only `join()` waits
/// for it, and a thread outlives its released `WorkerThread`.
package final class WorkerThread: Sendable {
  /// Stack size of a rendering thread, in bytes.
  package static let renderingStack = 4 << 20

  private let done = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - niceness: amount by which the priority is below that of the media loops (setpriority): live music comes before
  ///     files. Nil for the priority of the calling thread.
  ///   - stack: stack size in bytes; nil for the system's default.
  package init(
    _ name: String, niceness: Int32? = nil, stack: Int? = nil, _ work: @escaping @Sendable () -> Void
  ) {
    let thread = Thread { [done] in
      // On Linux the nice value belongs to the thread, and its child threads inherit it.
      if let niceness { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
      work()
      done.signal()
    }
    thread.name = name
    if let stack { thread.stackSize = stack }
    thread.start()
  }

  /// Waits for the work to end; may be called repeatedly. Not to be called on a thread that others need.
  package func join() {
    done.wait()
    done.signal()
  }
}
