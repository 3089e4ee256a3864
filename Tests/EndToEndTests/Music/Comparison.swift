import Glibc
import Recording

/// How a recorded track resembles what was played.
///
/// A recorder that follows a sender's clock stretches time a little (200 ppm are inaudible, but after 4 seconds they are
/// a whole turn of a tone), so the tune is laid against the track anew every half second; how far that moved is part of
/// the result.
struct Comparison: Sendable {
  /// Where the tune's beginning lies on the take's time line, in seconds: of each half second.
  var origins: [Double]
  /// Correlation of the channels with their own, over all that was compared; left and right.
  var coefficients: [Double]
  /// The greatest correlation of a channel with the other one's music.
  var crosstalk: Double
  /// Recorded level against the played one, in dB; left and right.
  var levels: [Double]
  /// The tune as it should be in the track.
  let truth: Sound

  /// Where the tune's beginning lies, in seconds of the take.
  var origin: Double { origins.sorted()[origins.count / 2] }
  /// By how much it moved, in seconds.
  var wander: Double { (origins.max() ?? 0) - (origins.min() ?? 0) }

  /// The longest stretch by which the place is found, in seconds.
  private static let longestProbe = 4.0
  /// How far the place may be from the expected one, in seconds.
  private static let reach = 0.6
  /// The tune is laid against the track anew after so many seconds.
  private static let step = 0.5
  /// By how many samples it can have moved from one time to the next.
  private static let stepReach = 64

  /// Looks for `tune` in `recorded`, whose beginning is expected at `expected` seconds of the take; compares from
  /// `start` to `end` seconds of the take.
  ///
  /// Nil where nothing like it is there.
  init?(_ recorded: Sound, with tune: Tune, expected: Double, from start: Double, to end: Double) {
    let rate = Double(recorded.rate)
    let probe = min(Comparison.longestProbe, end - start)
    let middle = (start + end) / 2 - probe / 2
    let margin = Int(Comparison.reach * rate)
    guard
      let lag = Comparison.lag(
        recorded, tune, origin: expected, from: middle, to: middle + probe, reach: margin)
    else { return nil }
    var origin = expected + lag / rate
    var origins: [Double] = []
    var truth = Sound(rate: recorded.rate, channels: [[], []])
    for index in 0..<max(1, Int((end - start) / Comparison.step)) {
      let from = start + Double(index) * Comparison.step
      let to = min(end, from + Comparison.step)
      // Where nobody plays, the tune stays where it was.
      origin +=
        (Comparison.lag(recorded, tune, origin: origin, from: from, to: to, reach: Comparison.stepReach) ?? 0) / rate
      origins.append(origin)
      let played = tune.sound(rate: recorded.rate, seconds: (from - origin)..<(to - origin))
      for channel in 0..<2 { truth.channels[channel] += played.channels[channel] }
    }
    self.origins = origins
    self.truth = truth
    let first = Int((start * rate).rounded())
    let channels = [recorded.left, recorded.right].map { Array($0.dropFirst(first).prefix(truth.frames)) }
    coefficients = zip(channels, truth.channels).map { Signal.coefficient($0, $1) }
    crosstalk = max(
      abs(Signal.coefficient(channels[0], truth.right)), abs(Signal.coefficient(channels[1], truth.left)))
    levels = zip(channels, truth.channels).map { 10 * log10(Signal.energy($0) / Signal.energy($1)) }
  }

  /// By how many samples the recording is later than the tune that begins at `origin`, by the channel that shows it
  /// better; nil where the one or the other is silent, or too short.
  private static func lag(
    _ recorded: Sound, _ tune: Tune, origin: Double, from start: Double, to end: Double, reach: Int
  ) -> Double? {
    let played = tune.sound(rate: recorded.rate, seconds: (start - origin)..<(end - origin))
    let first = Int((start * Double(recorded.rate)).rounded()) - reach
    let last = first + played.frames + 2 * reach
    let padding = [Float](repeating: 0, count: reach)
    let matches = [(recorded.left, played.left), (recorded.right, played.right)].compactMap { recorded, played in
      CrossCorrelation.align(
        Comparison.part(first..<last, of: recorded), to: padding + played + padding, maximumLag: reach)
    }
    return matches.max { $0.coefficient < $1.coefficient }?.lag
  }

  /// Samples of a recording, with silence before its beginning and after its end: what is looked for near either of them
  /// may be expected a little beyond.
  private static func part(_ range: Range<Int>, of samples: [Float]) -> [Float] {
    let within = range.clamped(to: 0..<samples.count)
    guard !within.isEmpty else { return [Float](repeating: 0, count: range.count) }
    return [Float](repeating: 0, count: within.lowerBound - range.lowerBound) + samples[within]
      + [Float](repeating: 0, count: range.upperBound - within.upperBound)
  }
}

extension Comparison: CustomStringConvertible {
  var description: String {
    "coefficients \(coefficients), levels \(levels) dB, crosstalk \(crosstalk), origins \(origins) s"
  }
}
