/// The packets of the last seconds in sending order, used to locate a clock step.
struct ArrivalHistory: Sendable {
  /// A packet that arrived in order.
  struct Entry: Hashable, Sendable {
    var sequence: Int64
    /// Arrival, in seconds from the take's zero.
    var arrival: Double
    var point: EnvelopePoint
  }

  /// Length of the history, in seconds of the sender's clock. A step shows in a comparison of packets before one
  /// report with packets after the next, and Firefox's reports are up to 7.5 s apart. Nothing is forgotten while the
  /// sender stands still, so that both sides of a standstill can be compared.
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

  /// The entries that arrived at `time` or later.
  func since(_ time: Double) -> ArraySlice<Entry> {
    entries[(recent.lastIndex { $0.arrival < time }.map { $0 + 1 } ?? start)...]
  }
}

/// A checkpoint holds the entries as their numbers: as objects they would be a third of it.
extension ArrivalHistory: Codable {
  /// Eight bytes each: sequence, arrival, and the point's media time and residual.
  private static let numbersPerEntry = 4

  init(from decoder: any Decoder) throws {
    let numbers = try Packed<UInt64>(from: decoder).values
    guard numbers.count % ArrivalHistory.numbersPerEntry == 0 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(numbers.count) numbers are no whole entries"))
    }
    entries = stride(from: 0, to: numbers.count, by: ArrivalHistory.numbersPerEntry).map { place in
      Entry(
        sequence: Int64(bitPattern: numbers[place]), arrival: Double(bitPattern: numbers[place + 1]),
        point: EnvelopePoint(
          media: Double(bitPattern: numbers[place + 2]), residual: Double(bitPattern: numbers[place + 3])))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var numbers: [UInt64] = []
    numbers.reserveCapacity(recent.count * ArrivalHistory.numbersPerEntry)
    for entry in recent {
      numbers.append(UInt64(bitPattern: entry.sequence))
      for number in [entry.arrival, entry.point.media, entry.point.residual] { numbers.append(number.bitPattern) }
    }
    try Packed(numbers).encode(to: encoder)
  }
}

/// A step of a sender's RTP clock: from `sequence` on, another line applies.
package struct ClockStep: Hashable, Sendable {
  /// Extended sequence number of the first packet of the new line.
  package var sequence: Int64
  /// The change of the capture time for a given RTP time, in seconds; positive if the microphone stalled.
  package var size: Double
  /// Set if the sender's capture times show a pure microphone stall: end of the last packet before it, in seconds of
  /// the media clock. Nil if only the new line shows what applies from there on.
  package var standstill: Double?
  /// The media times between which the standstill lies if its position is uncertain, in seconds.
  package var doubtful: ClosedRange<Double>?
  /// Arrival of the reading that shows it; nil if only arrivals do.
  package var announcedAt: Double?
  /// Earlier standstills covered by the same announcement, oldest first.
  package var earlier: [ClockStep] = []

  /// The same, shown by a reading that arrived at `time`.
  func announced(at time: Double) -> ClockStep {
    var step = self
    step.announcedAt = time
    step.earlier = earlier.map { $0.announced(at: time) }
    return step
  }
}
