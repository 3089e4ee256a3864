/// The round trip of a path without its queues: the lowest of what was measured since the path was last another.
struct PathRoundTrip: Hashable, Sendable {
  /// How long a measurement counts, in seconds. Waiting on both ways must have been nothing once in this time: with
  /// 10 ms of jitter and one measurement a second the lowest of 10 minutes is right within a few tenths of a
  /// millisecond.
  private static let span = 600.0
  /// How long all measurements must be higher before the path counts as another, in seconds.
  private static let recentSpan = 30.0
  /// By how much, in seconds; jitter alone hardly ever keeps above this for `recentSpan`.
  private static let leastRise = 0.01
  /// Fewest measurements that can say so.
  private static let fewest = 10

  /// Measurements that must agree before the lowest is taken for more than somebody's word.
  private static let witnesses = 3

  private var all = SlidingMinimum(span: PathRoundTrip.span, depth: PathRoundTrip.witnesses)
  private var recent = SlidingMinimum(span: PathRoundTrip.recentSpan)
  private var since: Double?
  private var count = 0

  /// In seconds, nil where nobody measured.
  var lowest: Double? { all.lowest }

  /// The lowest that others bear out, and those of the last half minute: no single answer's lie, and no longer way of lately,
  /// is beyond it. In seconds, nil where nobody measured.
  var supported: Double? { all.lowestFew.last.map { max($0, recent.lowest ?? 0) } }

  /// True where there are enough measurements to tell a single wrong one.
  var isWitnessed: Bool { all.lowestFew.count == PathRoundTrip.witnesses }

  mutating func add(_ value: Double, at time: Double) {
    all.add(value, at: time)
    recent.add(value, at: time)
    count += 1
    let begin = since ?? time
    since = begin
    guard time - begin > PathRoundTrip.recentSpan, count >= PathRoundTrip.fewest, let low = recent.lowest,
      let lowest = all.lowest, low > lowest + PathRoundTrip.leastRise
    else { return }
    var other = SlidingMinimum(span: PathRoundTrip.span, depth: PathRoundTrip.witnesses)
    other.add(low, at: time)
    (all, since, count) = (other, time, 0)
  }
}

/// The lowest few of the values of a recent span of time.
struct SlidingMinimum: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var time: Double
    var value: Double
    /// Later values that are not higher.
    var beaten = 0
  }

  /// How long a value counts, in seconds.
  let span: Double
  /// How many of the lowest are wanted.
  let depth: Int
  /// Values that may still become one of the lowest.
  private var entries: [Entry] = []

  init(span: Double, depth: Int = 1) {
    self.span = span
    self.depth = depth
  }

  var lowest: Double? { entries.map(\.value).min() }

  /// The lowest values, at most `depth`, in their order.
  var lowestFew: ArraySlice<Double> { entries.map(\.value).sorted().prefix(depth) }

  mutating func add(_ value: Double, at time: Double) {
    for index in entries.indices where entries[index].value >= value { entries[index].beaten += 1 }
    entries.removeAll { $0.beaten >= depth || $0.time < time - span }
    entries.append(Entry(time: time, value: value))
  }
}
