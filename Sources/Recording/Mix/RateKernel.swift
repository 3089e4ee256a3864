import Glibc
import Music

/// The filter that takes a finished mix from 48 kHz to another rate: a sinc under a Kaiser window for every place that an
/// output sample can have between two input samples.
///
/// Flat to 20 kHz (Opus carries nothing above), 130 dB down from half of the lower of both rates on: nothing folds back
/// and nothing is mirrored up, which the resampler for drift, made for ratios close to 1, would not do.
struct RateKernel: Sendable {
  /// What has to stay as it is, in Hz.
  private static let passband = 20_000.0
  /// In dB.
  private static let attenuation = 130.0

  /// Output samples for each `down` input samples.
  let up: Int
  let down: Int
  /// Coefficients of an output sample; a multiple of eight.
  let taps: Int
  /// For each of `up` places all taps.
  let table: [Float]

  /// Input samples before the one at or before an output sample that it needs.
  var before: Int { taps / 2 - 1 }
  /// Input samples after it.
  var after: Int { taps / 2 }

  /// - Parameter rate: the output's, in Hz; 8000 or more.
  init(rate: Int) {
    let input = Int(SamplePosition.rate)
    let divisor = RateKernel.divisor(rate, input)
    (up, down) = (rate / divisor, input / divisor)
    let stopband = Double(min(rate, input)) / 2
    let passband = min(RateKernel.passband, stopband * 0.9)
    let width = 2 * Double.pi * (stopband - passband) / Double(input)
    // Kaiser's length for that steepness (1974), in whole groups of eight.
    let length = (RateKernel.attenuation - 7.95) / (2.285 * width)
    taps = (Int(length) / 8 + 1) * 8
    let cutoff = (stopband + passband) / Double(input)
    table = (0..<up).flatMap { [taps, up] in RateKernel.row(Double($0) / Double(up), taps: taps, cutoff: cutoff) }
  }

  /// The coefficients for a place `fraction` of a sample behind an input sample, with a sum of exactly 1.
  private static func row(_ fraction: Double, taps: Int, cutoff: Double) -> [Float] {
    let beta = 0.1102 * (attenuation - 8.7)
    let row = (0..<taps).map { index in
      let distance = Double(index - (taps / 2 - 1)) - fraction
      let x = distance / Double(taps / 2)
      let angle = Double.pi * cutoff * distance
      let sinc = distance == 0 ? cutoff : sin(angle) / (.pi * distance)
      return abs(x) >= 1 ? 0 : sinc * BesselFunction.i0(beta * (1 - x * x).squareRoot()) / BesselFunction.i0(beta)
    }
    let sum = row.reduce(0, +)
    return row.map { Float($0 / sum) }
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
}
