import Glibc
import Recording

/// How a recorded track resembles what was played.
struct Comparison: Sendable {
  /// Where the tune's beginning lies on the take's time line, in seconds.
  var origin: Double
  /// Correlation of the channels with their own, over all that was recorded; left and right.
  var coefficients: [Double]
  /// The greatest correlation of a channel with the other one's music.
  var crosstalk: Double
  /// Recorded level against the played one, in dB; left and right.
  var levels: [Double]
  /// What was compared, in seconds of the take.
  var span: Range<Double>

  /// The longest stretch by which the place is found, in seconds.
  private static let longestProbe = 4.0
  /// How far the place may be from the expected one, in seconds.
  private static let reach = 0.6

  /// Looks for `tune` in `recorded`, whose beginning is expected at `expected` seconds of the take; compares from
  /// `start` to `end` seconds of the take.
  ///
  /// Nil where nothing like it is there.
  init?(_ recorded: Sound, with tune: Tune, expected: Double, from start: Double, to end: Double) {
    let rate = Double(recorded.rate)
    let probe = min(Comparison.longestProbe, end - start)
    let middle = (start + end) / 2 - probe / 2
    let played = tune.sound(rate: recorded.rate, seconds: (middle - expected)..<(middle - expected + probe))
    let first = Int((middle - Comparison.reach) * rate)
    let margin = Int(Comparison.reach * rate)
    let last = first + played.frames + 2 * margin
    guard first >= 0, last <= recorded.frames else { return nil }
    guard
      let match = CrossCorrelation.align(
        Array(recorded.left[first..<last]), to: [Float](repeating: 0, count: margin) + played.left, maximumLag: margin)
    else { return nil }
    origin = expected + match.lag / rate
    span = start..<end
    let range = Int(start * rate)..<min(Int(end * rate), recorded.frames)
    let shift = origin
    let truth = tune.sound(
      rate: recorded.rate,
      seconds: (Double(range.lowerBound) / rate - shift)..<(Double(range.upperBound) / rate - shift))
    let channels = [recorded.left, recorded.right].map { Array($0[range]) }
    coefficients = zip(channels, truth.channels).map { Comparison.coefficient($0, $1) }
    crosstalk = max(
      abs(Comparison.coefficient(channels[0], truth.right)), abs(Comparison.coefficient(channels[1], truth.left)))
    levels = zip(channels, truth.channels).map { 10 * log10(Comparison.energy($0) / Comparison.energy($1)) }
  }

  static func energy(_ samples: [Float]) -> Double {
    samples.withUnsafeBufferPointer { samples in
      var sum = 0.0
      for sample in samples { sum += Double(sample * sample) }
      return sum
    }
  }

  static func product(_ left: [Float], _ right: [Float]) -> Double {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        var sum = 0.0
        for index in 0..<min(left.count, right.count) { sum += Double(left[index] * right[index]) }
        return sum
      }
    }
  }

  /// The correlation coefficient of two signals as they lie.
  static func coefficient(_ left: [Float], _ right: [Float]) -> Double {
    let scale = (energy(left) * energy(right)).squareRoot()
    return scale > 0 ? product(left, right) / scale : 0
  }
}
