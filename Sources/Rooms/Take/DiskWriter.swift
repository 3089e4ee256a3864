import Foundation
import Machines
import Recording
import Synchronization

/// The threads that write and sync journals: the only ones that wait for the disk, so that no media loop ever does.
///
/// They are two, because a sync takes its time (a busy disk's, a tenth of a second now and then), and what another take
/// has gathered meanwhile would be lost with the process.
final class DiskWriter: Sendable {
  /// How long a lane that the disk refused is left alone, in seconds.
  private static let retryInterval = 0.25
  /// Journals are synced so often at most: with the loop's tick before it, a power cut costs less than 200 ms.
  private static let syncInterval = MonotonicTime.Span.milliseconds(100)

  private struct Work {
    var lanes: [JournalLane] = []
    var isStopping = false

    mutating func add(_ lane: JournalLane) {
      if !lanes.contains(where: { $0 === lane }) { lanes.append(lane) }
    }

    mutating func take() -> (lanes: [JournalLane], isStopping: Bool) {
      defer { lanes = [] }
      return (lanes, isStopping)
    }
  }

  private let toWrite = Mutex(Work())
  private let toSync = Mutex(Work())
  private let writable = DispatchSemaphore(value: 0)
  private let syncable = DispatchSemaphore(value: 0)
  /// Ends the syncing thread's pause: a take is waiting for its end.
  private let urgent = DispatchSemaphore(value: 0)

  init() {
    _ = WorkerThread("journal-write") { [self] in write() }
    _ = WorkerThread("journal-sync") { [self] in sync() }
  }

  /// Has the lane written soon; called after every chunk.
  func schedule(_ lane: JournalLane) {
    toWrite.withLock { $0.add(lane) }
    writable.signal()
  }

  /// Ends the threads after one more try to write and sync what is pending.
  func stop() {
    toWrite.withLock { $0.isStopping = true }
    writable.signal()
  }

  private func write() {
    var refused: [JournalLane] = []
    while true {
      _ = writable.wait(timeout: refused.isEmpty ? .distantFuture : .now() + DiskWriter.retryInterval)
      let (scheduled, isStopping) = toWrite.withLock { $0.take() }
      let lanes = refused.filter { lane in !scheduled.contains { $0 === lane } } + scheduled
      refused = []
      for lane in lanes {
        guard lane.write() else {
          refused.append(lane)
          continue
        }
        toSync.withLock { $0.add(lane) }
        syncable.signal()
        if lane.isEnding { urgent.signal() }
      }
      guard isStopping else { continue }
      toSync.withLock { $0.isStopping = true }
      syncable.signal()
      urgent.signal()
      return
    }
  }

  private func sync() {
    var due = MonotonicClock.now
    while true {
      syncable.wait()
      guard toSync.withLock({ !$0.lanes.isEmpty || $0.isStopping }) else { continue }
      let pause = (due - MonotonicClock.now).seconds
      if pause > 0 { _ = urgent.wait(timeout: .now() + pause) }
      due = MonotonicClock.now + DiskWriter.syncInterval
      let (lanes, isStopping) = toSync.withLock { $0.take() }
      for lane in lanes where !lane.sync() {
        toSync.withLock { $0.add(lane) }
        syncable.signal()
      }
      if isStopping { return }
    }
  }
}
