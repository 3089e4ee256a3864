/// Counts bytes, and their rate over the last seconds.
package struct TrafficMeter: Hashable, Sendable {
  /// Shortest time that a rate is taken over.
  private static let window = MonotonicTime.Span.seconds(2)

  /// All bytes so far.
  package private(set) var bytes: Int64 = 0
  /// Bytes that `takeNews` has not handed out.
  private var news: Int64 = 0
  private var start: MonotonicTime?
  /// Bytes since `start`.
  private var current: Int64 = 0
  /// Bytes a second before `start`; nil in the first window.
  private var former: Double?

  package init() {}

  package mutating func add(_ count: Int, at now: MonotonicTime) {
    roll(to: now)
    bytes &+= Int64(count)
    news &+= Int64(count)
    current &+= Int64(count)
  }

  private mutating func roll(to now: MonotonicTime) {
    let begin = start ?? now
    start = begin
    let elapsed = now - begin
    guard elapsed >= TrafficMeter.window else { return }
    former = Double(current) / elapsed.seconds
    (start, current) = (now, 0)
  }

  /// Bits a second, over the last two to four seconds.
  package func bitrate(at now: MonotonicTime) -> Double {
    guard let start else { return 0 }
    let elapsed = now - start
    // Nothing came since then: what was before is over.
    if elapsed >= TrafficMeter.window { return Double(current) * 8 / elapsed.seconds }
    guard let former else { return elapsed > .milliseconds(100) ? Double(current) * 8 / elapsed.seconds : 0 }
    let share = elapsed.seconds / TrafficMeter.window.seconds
    return 8 * (former * (1 - share) + Double(current) / TrafficMeter.window.seconds)
  }

  /// The bytes since the last call, for totals that only grow.
  package mutating func takeNews() -> Int64 {
    defer { news = 0 }
    return news
  }
}
