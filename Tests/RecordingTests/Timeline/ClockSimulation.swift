import TestSupport

@testable import Recording

/// Feeds a clock with packets of 20 ms whose true capture instants are known.
struct ClockSimulation {
  var clock = SenderClock()
  var random: SeededRandom
  /// Samples per second of true time.
  let rate: Double
  let delay: Double
  let jitter: Double
  /// True to measure a round trip each second.
  let measures: Bool
  var sequence: Int64 = 0
  /// True instant of the next packet's first sample.
  var captured = 0.5

  init(drift: Double, delay: Double = 0.03, jitter: Double = 0.01, measures: Bool = true, seed: UInt64 = 1) {
    rate = 48_000 * (1 + drift * 1e-6)
    self.delay = delay
    self.jitter = jitter
    self.measures = measures
    random = SeededRandom(seed)
  }

  var media: Double { Double(sequence) * 960 / 48_000 }

  mutating func run(packets: Int, loss: Double = 0, extraDelay: Double = 0) {
    for _ in 0..<packets {
      let sent = captured + 960 / rate
      var waiting = random.unit() * jitter + extraDelay
      // What is lost comes later, after a round trip or two.
      let isLate = random.unit() < loss
      if isLate { waiting += 0.1 }
      clock.observe(
        packet: sequence, endingAt: media + 0.02, arrival: sent + delay + waiting, isInOrder: !isLate)
      if measures, sequence % 50 == 49 {
        let measured = 2 * (delay + extraDelay) + (random.unit() + random.unit()) * jitter
        clock.observe(roundTrip: measured, at: sent)
      }
      sequence += 1
      captured = sent
    }
  }

  /// How far the clock places the newest sample from its true instant, in milliseconds.
  var error: Double { (clock.captureTime(atMedia: media) - captured) * 1_000 }
}
