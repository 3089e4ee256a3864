/// A sound card with a clock of its own: when, in true time, it captures which of its samples.
package struct VirtualSoundCard: Hashable, Sendable {
  /// True time of its first sample, in seconds.
  package var start: Double
  /// How fast it runs at its start, in ppm; positive runs fast.
  package var drift: Double
  /// How much faster it runs every minute, in ppm.
  package var wander: Double

  package init(start: Double = 0, drift: Double = 0, wander: Double = 0) {
    self.start = start
    self.drift = drift
    self.wander = wander
  }

  /// When the sample at `media` seconds of its own clock is captured, in seconds of true time.
  package func captured(atMedia media: Double) -> Double {
    // media = (1 + d)·t + w/2·t², solved for t in the form that loses no digits.
    let (rate, bend) = (1 + drift * 1e-6, wander * 1e-6 / 60)
    return start + 2 * media / (rate + (rate * rate + 2 * bend * media).squareRoot())
  }

  /// How fast it runs at `time` (seconds of true time), in ppm.
  package func drift(at time: Double) -> Double { drift + wander * (time - start) / 60 }
}
