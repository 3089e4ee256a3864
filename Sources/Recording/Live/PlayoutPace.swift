/// The playout rate that keeps a source's buffer at its goal, although the sender's clock drifts.
///
/// Constant drift is learned. Everything else bends the pitch by at most 300 ppm, half a cent, unless the clocks differ
/// by more than that or sound is at risk.
struct PlayoutPace: Sendable {
  /// Maximum difference from the sender's rate: half a percent, a twelfth of a semitone.
  static let greatest = 0.005
  /// Rate change per second of error.
  private static let gain = 0.1
  /// Drift learned per second from an error of one second: critically damped together with `gain`.
  private static let learning = 0.002_5
  /// Greatest correction of errors up to `usual` seconds; a larger one is drift that has not been learned.
  private static let usualCorrection = 200e-6
  private static let usual = 0.005
  /// Larger errors, in seconds, say nothing about the clocks.
  private static let teaching = 0.01
  /// Largest drift of a sound card, as a fraction.
  private static let greatestDrift = 0.001
  /// Change of rate per second: full range in half a second.
  private static let slew = 0.01

  /// Samples of the source per sample of the mix.
  private(set) var step = 1.0
  private var drift = 0.0

  /// Returns the step for the next `interval` seconds.
  ///
  /// - Parameters:
  ///   - error: the missing delay, in seconds.
  ///   - ramp: seconds by which the goal rises in a second.
  mutating func next(error: Double, ramp: Double, interval: Double) -> Double {
    if error.magnitude < PlayoutPace.teaching {
      drift -= error * PlayoutPace.learning * interval
      drift = min(max(drift, -PlayoutPace.greatestDrift), PlayoutPace.greatestDrift)
    }
    let limit = max(PlayoutPace.usualCorrection, (error.magnitude - PlayoutPace.usual) * PlayoutPace.gain)
    let correction = min(max(error * PlayoutPace.gain, -limit), limit)
    let bend = drift - ramp - correction
    let wanted = 1 + min(max(bend, -PlayoutPace.greatest), PlayoutPace.greatest)
    let most = PlayoutPace.slew * interval
    step += min(max(wanted - step, -most), most)
    return step
  }
}
