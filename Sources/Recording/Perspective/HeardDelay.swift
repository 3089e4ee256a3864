import Machines

/// How much later than it was played a musician hears another one.
///
/// A sample waits for its packet to be filled, half of the heard musician's round trip brings it to the recorder, half
/// of the listener's takes it on, and the listener's client keeps it for its `playout` until it sounds. The four do not
/// overlap: round trips are measured by RTCP between the machine's network ends, and playout begins when a packet has
/// arrived.
package struct HeardDelay: Hashable, Sendable {
  /// In the heard musician's encoder: its look-ahead, and half of a packet's length, which its samples wait on average.
  package var sending: MonotonicTime.Span = .zero
  /// Of the musician who is heard.
  package var roundTrip: DelaySpread
  /// Of the musician who listens.
  package var listenersRoundTrip: DelaySpread
  /// From the arrival at the listener's client until it sounds.
  package var playout: DelaySpread

  /// The sum of the medians.
  package var median: MonotonicTime.Span { sum(\.median) }
  /// The sum of the parts' tenths: as low as the delay was now and then.
  package var low: MonotonicTime.Span { sum(\.low) }
  /// The sum of the parts' ninth tenths: as high as the delay was now and then.
  package var high: MonotonicTime.Span { sum(\.high) }

  /// The median in whole samples at 48 kHz.
  package var samples: Int64 { Int64((median.seconds * 48_000).rounded()) }

  private func sum(_ value: KeyPath<DelaySpread, MonotonicTime.Span>) -> MonotonicTime.Span {
    sending + roundTrip[keyPath: value] / 2 + listenersRoundTrip[keyPath: value] / 2 + playout[keyPath: value]
  }
}

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
