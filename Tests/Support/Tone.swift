import Glibc
import Recording

/// Test signals, and what is found in what comes out. Here, as this module is optimised in debug builds too.
package enum Tone {
  /// The sine of so many turns.
  package static func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }

  /// Interleaved stereo of a sine: `frequency` in Hz, `level` as amplitude.
  package static func stereo(_ frequency: Double, level: Float = 0.25, frames: Int, rate: Double = 48_000) -> [Float] {
    (0..<frames * 2).map { level * Float(sine(Double($0 / 2) * frequency / rate)) }
  }

  /// Noise that is different on both sides, from a seed.
  package static func noise(_ seed: UInt64, level: Float = 0.25, frames: Int) -> [Float] {
    var random = SeededRandom(seed)
    return (0..<frames * 2).map { _ in level * Float(random.unit() * 2 - 1) }
  }

  /// The amplitude of `frequency` in a plane, by correlation under a Hann window (Goertzel's question, asked plainly).
  package static func amplitude(_ frequency: Double, in plane: [Float], rate: Double = 48_000) -> Double {
    var (re, im, sum) = (0.0, 0.0, 0.0)
    let count = Double(plane.count)
    for (index, sample) in plane.enumerated() {
      let window = 0.5 - 0.5 * sine(Double(index) / count + 0.25)
      let turn = Double(index) * frequency / rate
      re += Double(sample) * window * sine(turn + 0.25)
      im += Double(sample) * window * sine(turn)
      sum += window
    }
    return 2 * (re * re + im * im).squareRoot() / sum
  }

  /// In dB.
  package static func level(_ amplitude: Double) -> Double { Gain.level(of: Float(max(amplitude, 1e-12))) ?? -240 }
}
