/// What one musician's connection was like for a few seconds, as the recorder measured it, with what their own client
/// said of it.
package struct QualityReading: Hashable, Sendable, Codable {
  /// The usual time between two readings of a musician, in seconds.
  package static let interval = 3.0

  /// Seconds that it covers.
  package var duration: Double
  /// Round trip to the musician, in milliseconds; nil before the first measurement.
  package var roundTrip: Double?
  /// Interarrival jitter of their packets, in milliseconds (RFC 3550 section 6.4.1); nil without packets.
  package var jitter: Double?
  /// Packets that the musician has sent in this time, as far as their numbers show.
  package var expected: Int
  /// Packets that did not arrive when they were first sent.
  package var missed: Int
  /// Of these, packets that no retransmission has brought so far.
  package var lost: Int
  /// Samples at 48 kHz that nothing arrived for. While a take rolls, estimated from the lost packets; in a finished take,
  /// counted in its track.
  package var concealed: Int
  /// Mean power of the sound in dBFS, as the sender measured it (RFC 6464); nil if it does not say.
  package var dbfs: Double?
  /// What the musician's client says of the sound that reaches it; nil if it says nothing.
  package var heard: HeardQuality?

  package init(
    duration: Double = QualityReading.interval, roundTrip: Double? = nil, jitter: Double? = nil, expected: Int,
    missed: Int = 0, lost: Int = 0, concealed: Int = 0, dbfs: Double? = nil, heard: HeardQuality? = nil
  ) {
    self.duration = duration
    self.roundTrip = roundTrip
    self.jitter = jitter
    self.expected = expected
    self.missed = missed
    self.lost = lost
    self.concealed = concealed
    self.dbfs = dbfs
    self.heard = heard
  }

  /// Share of the packets that did not arrive when they were first sent; nil without packets.
  package var loss: Double? { expected > 0 ? min(1, Double(missed) / Double(expected)) : nil }

  /// Share of the time that nothing arrived for.
  package var silence: Double {
    duration > 0 ? min(1, Double(concealed) / (duration * Double(SamplePosition.rate))) : 0
  }
}

/// What a client measures of the sound that it receives, in the last seconds. Each is nil if it does not say.
package struct HeardQuality: Hashable, Sendable, Codable {
  /// In milliseconds.
  package var roundTrip: Double?
  /// In milliseconds.
  package var jitter: Double?
  /// Packets.
  package var received: Int?
  package var lost: Int?
  /// Samples at 48 kHz that the client invented.
  package var concealed: Int?
  /// Power of what it hears, in dBFS.
  package var dbfs: Double?

  package init(
    roundTrip: Double? = nil, jitter: Double? = nil, received: Int? = nil, lost: Int? = nil, concealed: Int? = nil,
    dbfs: Double? = nil
  ) {
    self.roundTrip = roundTrip
    self.jitter = jitter
    self.received = received
    self.lost = lost
    self.concealed = concealed
    self.dbfs = dbfs
  }

  /// Share of the packets that did not arrive; nil if the client does not count them.
  package var loss: Double? {
    guard let lost, let received, lost >= 0, received >= 0 else { return nil }
    let (lostPackets, all) = (Double(lost), Double(lost) + Double(received))
    return all > 0 ? lostPackets / all : nil
  }
}

extension HeardQuality {
  /// What a client may say: no time above a minute, no counts of more than a day's packets in some seconds.
  package static let times = 0.0...60_000
  package static let counts = 0...100_000_000
  package static let powers = -200.0...20

  /// - Throws: `ValueProblem` with the field, its value, and the permitted range.
  package func check() throws(ValueProblem) {
    try HeardQuality.check(roundTrip, HeardQuality.times, "roundTrip", "0 to 60,000 ms")
    try HeardQuality.check(jitter, HeardQuality.times, "jitter", "0 to 60,000 ms")
    try HeardQuality.check(dbfs, HeardQuality.powers, "dbfs", "-200 to 20 dBFS")
    for (field, count) in [("received", received), ("lost", lost), ("concealed", concealed)] {
      guard let count, !HeardQuality.counts.contains(count) else { continue }
      throw ValueProblem(field, "\(count)", "0 to 100,000,000")
    }
  }

  private static func check(
    _ value: Double?, _ range: ClosedRange<Double>, _ field: String, _ permitted: String
  ) throws(ValueProblem) {
    // A NaN is in no range.
    guard let value, !range.contains(value) else { return }
    throw ValueProblem(field, "\(value)", permitted)
  }
}
