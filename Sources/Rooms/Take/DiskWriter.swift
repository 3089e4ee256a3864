import Foundation
import Synchronization

/// The thread that writes and syncs journals: the only one that waits for the disk, so that no media loop ever does.
final class DiskWriter: Sendable {
  /// How long a lane that the disk refused is left alone.
  private static let retryInterval = 0.25

  private struct Work {
    var lanes: [JournalLane] = []
    var isStopping = false
  }

  private let work = Mutex(Work())
  private let available = DispatchSemaphore(value: 0)

  init() {
    let thread = Thread { [self] in run() }
    thread.name = "disk-writer"
    thread.start()
  }

  /// Has the lane written soon; called after every chunk.
  func schedule(_ lane: JournalLane) {
    work.withLock { work in
      if !work.lanes.contains(where: { $0 === lane }) { work.lanes.append(lane) }
    }
    available.signal()
  }

  /// Ends the thread after one more try to write what is pending.
  func stop() {
    work.withLock { $0.isStopping = true }
    available.signal()
  }

  private func run() {
    var refused: [JournalLane] = []
    while true {
      _ = available.wait(timeout: refused.isEmpty ? .distantFuture : .now() + DiskWriter.retryInterval)
      let (scheduled, isStopping) = work.withLock { work in
        defer { work.lanes = [] }
        return (work.lanes, work.isStopping)
      }
      let lanes = refused.filter { lane in !scheduled.contains { $0 === lane } } + scheduled
      refused = lanes.filter { !$0.drain() }
      if isStopping { return }
    }
  }
}
