import Glibc

/// Measures a small delay between two windows to a fraction of a sample, and its uncertainty.
///
/// It is the maximum likelihood processor (Knapp and Carter 1976). The phase of the cross spectrum, averaged over
/// short blocks, is a straight line over frequency whose slope is the delay. Each frequency is weighted by its
/// coherence, which also gives the Cramér-Rao bound.
struct DelayMeter {
  /// Samples per window: 1.4 s.
  static let window = 65_536
  /// Samples per block; successive blocks overlap by half.
  private static let block = 4_096
  /// Maximum delay considered either way, in samples.
  private static let reach = 40
  /// Bins from 120 Hz to 18 kHz, 11.7 Hz apart: below that, microphones and codecs shift phases.
  private static let bins = 10..<1_536
  private static let leastCoherence = 0.04
  private static let greatestCoherence = 0.999
  /// Fraction of the blocks that counts as independent, given the overlap.
  private static let independence = 0.9

  /// The result of a measurement.
  struct Reading: Hashable, Sendable {
    /// Delay of the backup relative to the expected one, in samples.
    var delay: Double
    /// Theoretical standard deviation of the delay, in samples.
    var deviation: Double
    /// 1 if all phases lie on the line.
    var agreement: Double
  }

  private let transform = FourierTransform(DelayMeter.block)
  private let taper = CrossSpectrum.hann(DelayMeter.block)

  /// Measures the delay; nil if the two have nothing in common.
  func measure(_ take: [Float], _ backup: [Float]) -> Reading? {
    let half = DelayMeter.block / 2
    var real = [Double](repeating: 0, count: half)
    var (imaginary, first, second) = (real, real, real)
    var blocks = 0.0
    for start in stride(from: 0, through: min(take.count, backup.count) - DelayMeter.block, by: half) {
      var left = [Float](repeating: 0, count: DelayMeter.block)
      var right = left
      for index in 0..<DelayMeter.block {
        left[index] = take[start + index] * taper[index]
        right[index] = backup[start + index] * taper[index]
      }
      let spectrum = CrossSpectrum(left, right, transform)
      for bin in DelayMeter.bins {
        real[bin] += Double(spectrum.real[bin])
        imaginary[bin] += Double(spectrum.imaginary[bin])
        first[bin] += Double(spectrum.first[bin])
        second[bin] += Double(spectrum.second[bin])
      }
      blocks += 1
    }
    return reading(real, imaginary, first, second, blocks: blocks * DelayMeter.independence)
  }

  private func reading(
    _ real: [Double], _ imaginary: [Double], _ first: [Double], _ second: [Double], blocks: Double
  ) -> Reading? {
    guard blocks > 1 else { return nil }
    var lines: [(frequency: Double, phase: Double, weight: Double)] = []
    var (flatReal, flatImaginary) = ([Float](repeating: 0, count: real.count), [Float](repeating: 0, count: real.count))
    var sum = 0.0
    for bin in DelayMeter.bins {
      let power = first[bin] * second[bin]
      guard power > 0 else { continue }
      let raw = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) / power
      // With so few blocks, some coherence arises by chance.
      let coherence = min(DelayMeter.greatestCoherence, (raw - 1 / blocks) / (1 - 1 / blocks))
      guard coherence > DelayMeter.leastCoherence else { continue }
      let weight = coherence / (1 - coherence)
      let phase = atan2(imaginary[bin], real[bin])
      lines.append((2 * Double.pi * Double(bin) / Double(DelayMeter.block), phase, weight))
      flatReal[bin] = Float(weight * cos(phase))
      flatImaginary[bin] = Float(weight * sin(phase))
      sum += weight
    }
    guard sum > 0 else { return nil }
    let values = CrossSpectrum.correlation(flatReal, flatImaginary, transform)
    func height(_ delay: Int) -> Double { Double(values[(delay + values.count) % values.count]) / (2 * sum) }
    // Of equal peaks, prefer the one near the expected delay: tones also fit one period off.
    func merit(_ delay: Int) -> Double { height(delay) - 0.002 * Double(abs(delay)) }
    var best = 0
    for delay in -DelayMeter.reach...DelayMeter.reach where merit(delay) > merit(best) { best = delay }
    var delay = Double(best)
    var information = 0.0
    for _ in 0..<6 {
      var slope = 0.0
      information = 0
      for line in lines {
        let angle = line.phase + line.frequency * delay
        // Phases far from the line are noise and must not pull it.
        slope -= line.weight * line.frequency * sin(angle)
        information += line.weight * line.frequency * line.frequency * max(0, cos(angle))
      }
      guard information > 0 else { return nil }
      delay += max(-0.5, min(0.5, slope / information))
    }
    guard abs(delay - Double(best)) < 1.5 else { return nil }
    let agreement = lines.reduce(0) { $0 + $1.weight * cos($1.phase + $1.frequency * delay) } / sum
    return Reading(delay: delay, deviation: (1 / (2 * blocks * information)).squareRoot(), agreement: agreement)
  }
}
