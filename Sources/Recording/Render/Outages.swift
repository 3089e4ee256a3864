/// When a track's connection was away, in seconds from the take's zero.
struct Outages: Hashable, Sendable {
  private var ended: [ClosedRange<Double>] = []
  private var since: Double?

  mutating func note(isUp: Bool, at time: Double) {
    if isUp {
      if let since { ended.append(since...max(since, time)) }
      since = nil
    } else if since == nil {
      since = time
    }
  }

  /// True where the connection was away at some instant between `start` and `end`.
  func overlap(_ start: Double, _ end: Double) -> Bool {
    if let since, since <= end { return true }
    return ended.contains { $0.lowerBound <= end && $0.upperBound >= start }
  }
}
