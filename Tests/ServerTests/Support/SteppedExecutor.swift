import Synchronization

/// Runs tasks on the thread of the test, and only when it says so: after `runAll` each of them is over, or waits.
final class SteppedExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs what is due, and what becomes due by it, until there is nothing more to run.
  func runAll() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
