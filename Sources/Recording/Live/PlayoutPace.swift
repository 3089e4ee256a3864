/// How fast a source is played so that its buffer stays at its target: the sender's clock drifts, and the target moves.
///
/// The pace bends smoothly and by half a percent (a twelfth of a semitone) at most. What drift there is, it learns.
struct PlayoutPace: Sendable {
  /// The most by which the pace differs from the sender's.
  static let greatest = 0.005
  /// Pace per second of error where the delay is too short: there sound is at stake.
  private static let up = 0.25
  /// Pace per second of error where the delay is too long.
  private static let down = 0.1
  /// What is learnt of an error of one second in one second: critically damped together with `down`.
  private static let learning = 0.002_5
  /// Errors beyond this are a target that moved and say nothing of the clocks, in seconds.
  private static let teaching = 0.01
  /// No sound card is further off, as a fraction.
  private static let greatestDrift = 0.001
  /// Change of pace per second: full bend in half a second.
  private static let slew = 0.01

  /// Samples of the source per sample of the mix.
  private(set) var step = 1.0
  private var drift = 0.0

  /// The step for the next `interval` seconds; `error` is how much longer the delay should be, in seconds.
  mutating func next(error: Double, interval: Double) -> Double {
    if error.magnitude < PlayoutPace.teaching {
      drift -= error * PlayoutPace.learning * interval
      drift = min(max(drift, -PlayoutPace.greatestDrift), PlayoutPace.greatestDrift)
    }
    let bend = drift - error * (error > 0 ? PlayoutPace.up : PlayoutPace.down)
    let wanted = 1 + min(max(bend, -PlayoutPace.greatest), PlayoutPace.greatest)
    let most = PlayoutPace.slew * interval
    step += min(max(wanted - step, -most), most)
    return step
  }
}
