import Machines
import Recording
import Signaling

extension RoomActor {
  /// Closes the room: running takes may go on for `limit` seconds, then they end; returns when all of them are complete.
  func shutDown(within limit: Double) async {
    isClosed = true
    if capture != nil, limit > 0 { await wait(seconds: limit) }
    let now = MonotonicClock.now
    if let capture { endTake(capture, at: now, reason: .shutdown, tail: .zero) }
    for member in members {
      tell(.closed(reason: .shutdown), to: member)
      remove(member, at: now)
    }
    while !ending.isEmpty || !finishing.isEmpty { await wait(seconds: 0.02) }
    stopTicker()
  }

  /// Waits on the loop's clock until the time is over, or until no take rolls any more.
  private func wait(seconds: Double) async {
    let end = MonotonicClock.now + .nanoseconds(Int64(seconds * 1e9))
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      var ticker: Ticker?
      ticker = Ticker(loop: loop, interval: .milliseconds(10)) { now in
        guard now >= end else { return }
        ticker?.stop()
        ticker = nil
        waiting?.resume()
        waiting = nil
      }
    }
  }
}
