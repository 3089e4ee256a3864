import Machines

/// The delay between one musician's playing and another's hearing it.
///
/// It has four parts: a sample waits until its packet is full; half of the heard musician's round trip takes it to
/// the recorder; half of the listener's takes it on; and the listener's client buffers it for its `playout`. They do
/// not overlap: RTCP measures round trips between network endpoints, and playout begins when a packet has arrived.
package struct HeardDelay: Hashable, Sendable {
  /// Delay in the heard musician's encoder: its look-ahead, and half of a packet, the average wait of its samples.
  package var sending: MonotonicTime.Span = .zero
  /// Round trip of the heard musician to the recorder, or to the listener where they heard each other directly.
  package var roundTrip: DelaySpread
  /// Round trip of the listener to the recorder; `.none` where they heard each other directly.
  package var listenersRoundTrip: DelaySpread
  /// From the arrival at the listener's client to the playout.
  package var playout: DelaySpread

  /// The sum of the medians.
  package var median: MonotonicTime.Span { sum(\.median) }
  /// The sum of the parts' p10: a low but not unusual delay.
  package var low: MonotonicTime.Span { sum(\.low) }
  /// The sum of the parts' p90: a high but not unusual delay.
  package var high: MonotonicTime.Span { sum(\.high) }

  /// The median in whole samples at 48 kHz.
  package var samples: Int64 { Int64(saturating: median.seconds * 48_000) }

  private func sum(_ value: KeyPath<DelaySpread, MonotonicTime.Span>) -> MonotonicTime.Span {
    sending + roundTrip[keyPath: value] / 2 + listenersRoundTrip[keyPath: value] / 2 + playout[keyPath: value]
  }
}

/// The distribution of a delay over a take: the median, and the limits of the middle 80 % of readings.
package struct DelaySpread: Hashable, Sendable {
  package var median: MonotonicTime.Span
  /// The 10th percentile.
  package var low: MonotonicTime.Span
  /// The 90th percentile.
  package var high: MonotonicTime.Span
  /// Number of readings.
  package var count: Int

  /// No delay: of a way that the sound did not take.
  package static let none = DelaySpread(median: .zero, low: .zero, high: .zero, count: 0)

  private init(median: MonotonicTime.Span, low: MonotonicTime.Span, high: MonotonicTime.Span, count: Int) {
    (self.median, self.low, self.high, self.count) = (median, low, high, count)
  }

  /// Summarises readings in any order; nil if there are none.
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
