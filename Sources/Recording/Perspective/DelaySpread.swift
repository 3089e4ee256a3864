import Machines

/// How long something took over a take: the usual value, and between which values four of five readings lie.
package struct DelaySpread: Hashable, Sendable {
  package var median: MonotonicTime.Span
  /// A tenth of the readings is lower (p10).
  package var low: MonotonicTime.Span
  /// A tenth of the readings is higher (p90).
  package var high: MonotonicTime.Span
  /// Readings that this rests on.
  package var count: Int

  /// Nil without a reading. The readings may be in any order.
  package init?(_ readings: [MonotonicTime.Span]) {
    let sorted = readings.sorted()
    guard let last = sorted.indices.last else { return nil }
    let middle = sorted[last / 2] + (sorted[(last + 1) / 2] - sorted[last / 2]) / 2
    median = middle
    low = sorted[(last + 5) / 10]
    high = sorted[last - (last + 5) / 10]
    count = sorted.count
  }
}
