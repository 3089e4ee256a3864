import Machines
import Realtime

@testable import Rooms

/// Feeds a performance in real time from a media loop's thread, which no other test keeps busy.
actor FeedPlayer {
  private let loop: MediaLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: MediaLoop) {
    self.loop = loop
  }

  /// Gives every packet to the feed when its last sample has been played.
  func play(_ performance: Performance, into feed: AudioFeed) async throws {
    let length = Int64(performance.packetLength)
    let start = MonotonicClock.now
    for (index, opus) in performance.packets.enumerated() {
      let position = Int64(index) * length
      await pass(start + .nanoseconds((position + length) * 1_000_000 / 48))
      try await feed.send([.init(opus: opus, timestamp: position, arrival: MonotonicClock.now)])
    }
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
