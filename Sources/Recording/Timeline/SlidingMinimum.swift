/// The lowest of the values of a recent span of time.
struct SlidingMinimum: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var time: Double
    var value: Double
  }

  /// How long a value counts, in seconds.
  let span: Double
  /// Values that may still become the lowest: each is higher than the one before it.
  private var entries: [Entry] = []

  init(span: Double) {
    self.span = span
  }

  var lowest: Double? { entries.first?.value }

  mutating func add(_ value: Double, at time: Double) {
    while let last = entries.last, last.value >= value { entries.removeLast() }
    entries.append(Entry(time: time, value: value))
    if let first = entries.firstIndex(where: { $0.time >= time - span }), first > 0 { entries.removeFirst(first) }
  }
}
