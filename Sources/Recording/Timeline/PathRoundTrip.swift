/// The round trip of a path without queueing: the lowest measurement since the path last changed.
struct PathRoundTrip: Hashable, Sendable, Codable {
  /// Lifetime of a measurement, in seconds. Queueing must have vanished in both directions once during this time:
  /// with 10 ms of jitter and one measurement per second, the lowest of 10 minutes is right within a few tenths of a
  /// millisecond.
  private static let span = 600.0
  /// How long all measurements must be higher before the path counts as changed, in seconds.
  private static let recentSpan = 30.0
  /// By how much they must be higher, in seconds; jitter alone hardly ever stays above this for `recentSpan`.
  private static let leastRise = 0.01
  /// Minimum number of such measurements.
  private static let fewest = 10

  /// Number of agreeing measurements needed to confirm the lowest.
  private let witnesses: Int

  private var all: SlidingMinimum
  private var recent = SlidingMinimum(span: PathRoundTrip.recentSpan)
  private var since: Double?
  private var count = 0

  init(witnesses: Int = 3) {
    self.witnesses = witnesses
    all = SlidingMinimum(span: PathRoundTrip.span, depth: witnesses)
  }

  /// In seconds; nil without a measurement.
  var lowest: Double? { all.lowest }

  /// The lowest measurement confirmed by others and not below those of the last half minute, so that neither a single
  /// wrong answer nor a recently longer path is missed. In seconds; nil without a measurement.
  var supported: Double? { all.lowestFew.last.map { max($0, recent.lowest ?? 0) } }

  /// True if there are enough measurements to expose a single wrong one.
  var isWitnessed: Bool { all.lowestFew.count == witnesses }

  /// The lowest measurements in ascending order, at most `witnesses`.
  var lowestFew: ArraySlice<Double> { all.lowestFew }
  /// The lowest of the last half minute, in seconds; nil without a measurement.
  var lowestRecently: Double? { recent.lowest }

  mutating func add(_ value: Double, at time: Double) {
    all.add(value, at: time)
    recent.add(value, at: time)
    count += 1
    let begin = since ?? time
    since = begin
    guard time - begin > PathRoundTrip.recentSpan, count >= PathRoundTrip.fewest, let low = recent.lowest,
      let lowest = all.lowest, low > lowest + PathRoundTrip.leastRise
    else { return }
    var other = SlidingMinimum(span: PathRoundTrip.span, depth: witnesses)
    other.add(low, at: time)
    (all, since, count) = (other, time, 0)
  }
}

/// The lowest few values of a recent span of time.
struct SlidingMinimum: Hashable, Sendable, Codable {
  private struct Entry: Hashable, Sendable, Codable {
    var time: Double
    var value: Double
    /// Number of later values that are not higher.
    var beaten = 0
  }

  /// Lifetime of a value, in seconds.
  let span: Double
  /// Number of lowest values wanted.
  let depth: Int
  /// Values that may still become one of the lowest.
  private var entries: [Entry] = []

  init(span: Double, depth: Int = 1) {
    self.span = span
    self.depth = depth
  }

  var lowest: Double? { entries.map(\.value).min() }

  /// The lowest values in ascending order, at most `depth`.
  var lowestFew: ArraySlice<Double> { entries.map(\.value).sorted().prefix(depth) }

  mutating func add(_ value: Double, at time: Double) {
    for index in entries.indices where entries[index].value >= value { entries[index].beaten += 1 }
    entries.removeAll { $0.beaten >= depth || $0.time < time - span }
    entries.append(Entry(time: time, value: value))
  }
}
