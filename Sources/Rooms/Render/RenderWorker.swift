import DequeModule
import Foundation
import Music
import Recording
import Synchronization

/// A thread that renders takes; each take stays with one worker, whose renderers nobody else ever touches.
final class RenderWorker: Sendable {
  /// The renderers of this worker, by take.
  typealias Renderers = [TakeID: RollingTake]
  typealias Job = @Sendable (inout Renderers) -> Void

  private let jobs = Mutex(Deque<Job?>())
  private let available = DispatchSemaphore(value: 0)

  /// - Parameter niceness: how much lower than the media loops' the thread's priority is (setpriority): music that is
  ///   heard comes before files that are made.
  init(name: String, niceness: Int32 = 5) {
    let thread = Thread { [self] in run(niceness: niceness) }
    thread.name = name
    thread.stackSize = 4 << 20
    thread.start()
  }

  func perform(_ job: @escaping Job) {
    jobs.withLock { $0.append(job) }
    available.signal()
  }

  /// Ends the thread after the jobs that are queued.
  func stop() {
    jobs.withLock { $0.append(nil) }
    available.signal()
  }

  private func run(niceness: Int32) {
    // On Linux the nice value belongs to the thread.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    var renderers: Renderers = [:]
    while true {
      available.wait()
      guard let job = jobs.withLock({ $0.popFirst() }) ?? nil else { return }
      job(&renderers)
    }
  }
}
