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
