import Foundation
import Library
import Machines
import Recording
import Synchronization

/// The threads that write and sync journals. Only they wait for the disk, so that no media loop ever does.
///
/// There are two, because a sync takes time (now and then a tenth of a second on a busy disk). Data collected by
/// another take meanwhile would be lost if the process died.
final class DiskWriter: Sendable {
  /// Delay before a failed lane is retried, in seconds.
  private static let retryInterval = 0.25
  /// Minimum interval between syncs of journals: including the loop's tick, a power failure loses less than 200 ms.
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

  /// For everything else that rooms need of the disk.
  let errands = DiskErrands()
  private let toWrite = Mutex(Work())
  private let toSync = Mutex(Work())
  private let writable = DispatchSemaphore(value: 0)
  private let syncable = DispatchSemaphore(value: 0)
  /// Interrupts the syncing thread's pause for a take that waits for its end.
  private let urgent = DispatchSemaphore(value: 0)

  init() {
    _ = WorkerThread("journal-write") { [self] in write() }
    _ = WorkerThread("journal-sync") { [self] in sync() }
  }

  /// Schedules the lane to be written soon; called after every chunk.
  func schedule(_ lane: JournalLane) {
    toWrite.withLock { $0.add(lane) }
    writable.signal()
  }

  /// Ends the threads after one more attempt to write and sync pending data.
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
