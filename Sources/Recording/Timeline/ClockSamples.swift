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
