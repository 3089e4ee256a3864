import Machines
import Realtime
import Recording

@testable import Rooms

/// Feeds a performance from a media loop's thread, and waits there until it would have been played.
///
/// All packets are handed over at once, each with the time at which it is due: however late a busy machine gets round to
/// it, the take has them where they belong.
actor FeedPlayer {
  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: MediaLoop) {
    self.loop = loop
  }

  /// Returns when the last packet was due.
  /// - Returns: when the first one was.
  func play(_ performance: Performance, into feed: AudioFeed) async throws -> MonotonicTime {
    let length = Int64(performance.packetLength)
    let start = MonotonicClock.now
    let packets = performance.packets.enumerated().map { index, opus in
      let position = Int64(index) * length
      return AudioFeed.Packet(
        opus: opus, timestamp: position, arrival: start + .nanoseconds(position * 1_000_000 / 48))
    }
    try await feed.send(packets)
    if let last = packets.last { await pass(last.arrival) }
    return start
  }

  /// Returns at that time, on the loop's own clock.
  private func pass(_ time: MonotonicTime) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      var ticker: Ticker?
      ticker = Ticker(loop: loop, interval: max(.zero, time - MonotonicClock.now)) { _ in
        ticker?.stop()
        ticker = nil
        waiting?.resume()
        waiting = nil
      }
    }
  }
}
