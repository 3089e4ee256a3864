import Machines

extension NackScheduler {
  /// The times and bounds of asking again; the defaults are measured against browsers.
  package struct Configuration: Hashable, Sendable {
    /// The longest window that is of use: no sender keeps packets longer.
    package static let longestWindow = MonotonicTime.Span.seconds(4)
    /// The most holes of one stream.
    package static let mostHoles = 512

    /// How long a hole waits for reordering to fill it before the first request.
    package let reorderGrace: MonotonicTime.Span
    /// The least time between two requests for one packet; browsers answer in 6 to 11 ms on their 10 ms tick.
    package let repeatInterval: MonotonicTime.Span
    /// How long a hole is hoped for; browsers keep 3 s of audio.
    package let window: MonotonicTime.Span
    /// Open holes at once, 1...512; of more, the oldest are given up.
    package let holeLimit: Int
    /// Requests a second in the long run; 512 at once are always granted.
    package let requestsPerSecond: Int

    /// Values beyond the bounds are brought to the nearest that is allowed.
    package init(
      reorderGrace: MonotonicTime.Span = .milliseconds(10), repeatInterval: MonotonicTime.Span = .milliseconds(40),
      window: MonotonicTime.Span = .seconds(3), holeLimit: Int = mostHoles, requestsPerSecond: Int = 2000
    ) {
      self.reorderGrace = max(reorderGrace, .zero)
      self.repeatInterval = max(repeatInterval, .milliseconds(1))
      self.window = min(max(window, .zero), Self.longestWindow)
      self.holeLimit = min(max(holeLimit, 1), Self.mostHoles)
      self.requestsPerSecond = max(requestsPerSecond, 1)
    }
  }
}
