import Logging
import Machines
import Music
import Recording
import Signaling

extension RoomActor {
  /// Closes the room: running takes may continue for `limit` seconds, then end; returns once all of them are
  /// complete.
  func shutDown(within limit: Double) async {
    isClosed = true
    isShuttingDown = true
    if takes.rolling != nil, limit > 0 {
      await pause(.nanoseconds(Int64(saturating: limit * 1e9))) { self.takes.rolling == nil || self.isSealing }
    }
    let now = MonotonicClock.now
    endLeavers()
    if let capture = takes.rolling { endTake(capture, at: end(of: capture, at: now), reason: .shutdown, tail: .zero) }
    for member in members {
      tell(.closed(reason: .shutdown), to: member)
      remove(member, at: now)
    }
    while !takes.areStoppedTakesDone, !takes.onlyWaitsForRoom, !onlyWaitsForIndex, !isSealed {
      await pause(.milliseconds(20)) { false }
    }
    endLeavers()
    endOutlets()
    stopTicker()
  }

  /// From now on, the shutdown waits for journals only.
  func seal() { isSealing = true }

  /// True if every journal is closed and on disk, and nothing else is waited for.
  private var isSealed: Bool {
    isSealing && takes.areJournalsClosed
  }

  /// Removes everyone, because the operator closed the room. Its take ends and is completed as usual.
  func close() {
    for member in members { dismiss(member, .roomClosed) }
  }

  private var onlyWaitsForIndex: Bool { services.index.isBehind && takes.onlyWaitsForIndex }

  /// Waits on the loop's clock until the time has elapsed or `isOver` is true.
  func pause(_ span: MonotonicTime.Span, until isOver: @escaping () -> Bool) async {
    let end = MonotonicClock.now + span
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      var ticker: Ticker?
      ticker = Ticker(loop: loop, interval: .milliseconds(10)) { now in
        guard now >= end || isOver() else { return }
        ticker?.stop()
        ticker = nil
        waiting?.resume()
        waiting = nil
      }
    }
  }
}
