/// The last seconds of packets in the order of their sending, to find the one at which a clock stepped.
struct ArrivalHistory: Sendable {
  /// One packet that came in order.
  struct Entry: Hashable, Sendable {
    var sequence: Int64
    /// Arrival, in seconds from the take's zero.
    var arrival: Double
    var point: EnvelopePoint
  }

  /// How far back, in seconds of the sender's clock. A step is seen by comparing what came before the report in front of it
  /// with what came behind the next, and Firefox's reports are up to 7.5 s apart. While the sender stands still nothing is
  /// forgotten, so that what held before can be compared with what holds after it.
  private static let span = 16.0
  /// Packets of 2.5 ms for `span` seconds.
  private static let capacity = 6_400

  private(set) var entries: [Entry] = []
  private var start = 0

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    while start < entries.count, entry.point.media - entries[start].point.media > ArrivalHistory.span { start += 1 }
    start = max(start, entries.count - ArrivalHistory.capacity)
    // Moving the rest to the front once per few hundred packets costs nothing per packet.
    if start > 512, start * 2 > entries.count {
      entries.removeFirst(start)
      start = 0
    }
  }

  mutating func insert(standstill seconds: Double, at media: Double) {
    for index in entries.indices { entries[index].point.insert(standstill: seconds, at: media) }
  }

  /// The entries of the last seconds, oldest first.
  var recent: ArraySlice<Entry> { entries[start...] }

  /// The entries that came at `time` or later.
  func since(_ time: Double) -> ArraySlice<Entry> {
    entries[(recent.lastIndex { $0.arrival < time }.map { $0 + 1 } ?? start)...]
  }
}

/// A place at which a sender's RTP clock stopped fitting its line: from `sequence` on another line holds.
package struct ClockStep: Hashable, Sendable {
  /// Extended sequence number of the first packet of the new line.
  package var sequence: Int64
  /// How much later (positive: the microphone stood still) or earlier the same RTP time is captured now, in seconds.
  package var size: Double
  /// Where the sender's capture times say that the microphone stood still and nothing else changed: end of the last
  /// packet before it, in seconds of the media clock. Nil where only the new line tells what holds from there on.
  package var standstill: Double?
  /// The media times between which the standstill was, where nothing tells more exactly, in seconds.
  package var doubtful: ClosedRange<Double>?
  /// Standstills in front of this one of which the same word of the sender tells, oldest first.
  package var earlier: [ClockStep] = []
}

/// Readings of a client's own clock, of which the one with the shortest round trip is the most exact.
struct ClockSamples: Sendable {
  struct Sample: Hashable, Sendable {
    /// What the client's clock showed, in seconds.
    var senderTime: Double
    /// When that was by our clock, in seconds from the take's zero.
    var captured: Double
    /// In seconds; half of it bounds the error.
    var roundTrip: Double
  }

  /// Readings that are kept; clients send about one a second.
  private static let capacity = 120

  private var samples: [Sample] = []

  var best: Sample? { samples.min { $0.roundTrip < $1.roundTrip } }

  mutating func add(senderTime: Double, arrival: Double, roundTrip: Double) {
    guard roundTrip >= 0, roundTrip < 10 else { return }
    samples.append(Sample(senderTime: senderTime, captured: arrival - roundTrip / 2, roundTrip: roundTrip))
    if samples.count > ClockSamples.capacity { samples.removeFirst() }
  }
}
