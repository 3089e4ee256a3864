/// What a client's own clock says of a stream: the studio reads our clock once per second, and tells what its own was.
///
/// A reading is an interval as long as its round trip, and rests on no claim about how long something was held. It places
/// the track where it is narrower than the media's own round trip; elsewhere, on a fast path, it shows by how much answers
/// to reports can be wrong.
extension SenderClock {
  /// Where the best reading sees media time 0, in seconds from the take's zero, and how far off that may be.
  var ownReading: (origin: Double, error: Double)? {
    guard let sample = ownClock.best, let pair = references.pair(near: sample.senderTime, slope: slope) else {
      return nil
    }
    return (
      sample.captured - pair.media * (1 + slope),
      sample.roundTrip / 2 + pair.distance * ClockSamples.wander + SenderClock.clockGrain
    )
  }

  /// The origin by a client's own clock, read over a faster path than that of the media.
  ///
  /// Nil if it cannot be the clock of its reports: a sound leaves its sender after its capture, and at most one round
  /// trip before it arrives here.
  func originByOwnClock(near level: Double) -> Double? {
    guard let sample = ownClock.best, let reading = ownReading else { return nil }
    let origin = reading.origin
    guard roundTrip.lowest != nil || wayBack.level(slope: -slope) != nil else {
      return abs(origin - level) < 1 ? origin : nil
    }
    let departure = level - references.waiting(level: level, slope: slope)
    let wholeWay = shortestRoundTrip(departure)
    let plausible = departure - wholeWay - SenderClock.clockGrain...departure + SenderClock.clockGrain
    return sample.roundTrip < wholeWay && plausible.contains(origin) ? origin : nil
  }

  /// The greatest distance of the truth from `origin`, in seconds, by a client's own clock. Nil without one, and if it
  /// cannot be the clock of its reports.
  func distanceByOwnClock(near level: Double) -> Double? {
    guard let reading = ownReading else { return nil }
    let departure = level - references.waiting(level: level, slope: slope)
    let plausible = departure - shortestRoundTrip(departure) - reading.error...departure + reading.error
    return plausible.contains(reading.origin) ? abs(reading.origin - origin) + reading.error : nil
  }
}

/// Readings of a client's own clock; the one with the shortest round trip is the most precise, until it is old.
struct ClockSamples: Sendable, Codable {
  struct Sample: Hashable, Sendable, Codable {
    /// The client's clock, in seconds.
    var senderTime: Double
    /// The same instant on our clock, in seconds from the take's zero.
    var captured: Double
    /// In seconds; half of it bounds the error.
    var roundTrip: Double
  }

  /// Number of readings kept; clients send about one per second.
  private static let capacity = 120
  /// Maximum divergence of a machine's wall clock from ours per second: NTP's limit plus a bad crystal without it.
  static let wander = 100e-6

  private var samples: [Sample] = []
  /// The most precise one now.
  private(set) var best: Sample?

  mutating func add(senderTime: Double, arrival: Double, roundTrip: Double) {
    guard roundTrip >= 0, roundTrip < 10 else { return }
    samples.append(Sample(senderTime: senderTime, captured: arrival - roundTrip / 2, roundTrip: roundTrip))
    if samples.count > ClockSamples.capacity { samples.removeFirst() }
    func error(_ sample: Sample) -> Double {
      sample.roundTrip / 2 + abs(senderTime - sample.senderTime) * ClockSamples.wander
    }
    best = samples.min { error($0) < error($1) }
  }
}
