import Glibc
import Testing

@testable import Recording

@Suite struct ResamplerTests {
  /// Resamples a sine of `frequency` Hz by `step` and gives what should come out too.
  private func resample(
    _ frequency: Double, step: Double, count: Int = 2_400, start: Double = 40.25
  ) -> (output: [Float], expected: [Double]) {
    let omega = 2 * Double.pi * frequency / 48_000
    let input = (0..<(count + 200)).map { Float(0.5 * sin(omega * Double($0))) }
    var output = [Float](repeating: 0, count: count)
    input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        Resampler().process(input, .init(position: start, step: step, count: count), into: output)
      }
    }
    return (output, (0..<count).map { 0.5 * sin(omega * (start + step * Double($0))) })
  }

  private func decibels(_ ratio: Double) -> Double { 10 * log10(ratio) }

  @Test(arguments: [1.0, 1.0001, 0.9997, 1.001])
  func aSineOfOneKilohertzIsCleanTo110Decibels(step: Double) {
    let (output, expected) = resample(1_000, step: step)
    var signal = 0.0
    var noise = 0.0
    for (sample, wanted) in zip(output, expected) {
      signal += wanted * wanted
      noise += (Double(sample) - wanted) * (Double(sample) - wanted)
    }
    #expect(decibels(signal / noise) > 110, "\(decibels(signal / noise)) dB")
  }

  @Test func allIsFlatTo20Kilohertz() {
    for frequency in [20.0, 100, 1_000, 5_000, 10_000, 15_000, 18_000, 19_000, 20_000] {
      let (output, expected) = resample(frequency, step: 1.0001, count: 4_800)
      // The level of the part of the output that is the wanted sine.
      let product = zip(output, expected).reduce(0) { $0 + Double($1.0) * $1.1 }
      let power = expected.reduce(0) { $0 + $1 * $1 }
      let level = 20 * log10(product / power)
      #expect(abs(level) < 0.05, "\(frequency) Hz: \(level) dB")
    }
  }

  @Test(arguments: [5_000.0, 12_000, 18_000, 20_000])
  func nothingIsAddedAbove100DecibelsBelow(frequency: Double) {
    // Images of frequencies up to 20 kHz fall back as aliases: all that is not the wanted sine counts.
    let (output, expected) = resample(frequency, step: 1.000_3, count: 4_800)
    var error = 0.0
    var power = 0.0
    for (sample, wanted) in zip(output, expected) {
      error += (Double(sample) - wanted) * (Double(sample) - wanted)
      power += wanted * wanted
    }
    #expect(decibels(error / power) < -100, "\(frequency) Hz: \(decibels(error / power)) dB")
  }

  @Test func stereoIsMonoTwice() {
    let left = (0..<1_200).map { Float(sin(Double($0) * 0.05)) }
    let right = left.map { -0.5 * $0 }
    var both = [Float](repeating: 0, count: 2_000)
    var one = [Float](repeating: 0, count: 1_000)
    let run = Resampler.Run(position: 50.7, step: 1.000_05, count: 1_000)
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        both.withUnsafeMutableBufferPointer { Resampler().process(left: left, right: right, run, into: $0) }
        one.withUnsafeMutableBufferPointer { Resampler().process(left, run, into: $0) }
      }
    }
    for frame in 0..<1_000 {
      #expect(both[frame * 2] == one[frame])
      #expect(abs(both[frame * 2 + 1] + 0.5 * one[frame]) < 1e-6)
    }
  }

  @Test func blocksJoinWithoutASeam() {
    let input = (0..<2_500).map { Float(sin(Double($0) * 0.3)) }
    var whole = [Float](repeating: 0, count: 1_920)
    var halves = whole
    let step = 1.000_08
    input.withUnsafeBufferPointer { input in
      whole.withUnsafeMutableBufferPointer {
        Resampler().process(input, .init(position: 30, step: step, count: 1_920), into: $0)
      }
      halves.withUnsafeMutableBufferPointer { halves in
        Resampler().process(input, .init(position: 30, step: step, count: 960), into: halves)
        Resampler().process(
          input, .init(position: 30 + step * 960, step: step, count: 960),
          into: UnsafeMutableBufferPointer(rebasing: halves[960...]))
      }
    }
    for (a, b) in zip(whole, halves) { #expect(abs(a - b) < 2e-6) }
  }

  @Test func runsThatDoNotFitAreKnown() {
    #expect(Resampler.Run(position: 23, step: 1, count: 10).fits(in: 58))
    #expect(!Resampler.Run(position: 22.9, step: 1, count: 10).fits(in: 58))
    #expect(!Resampler.Run(position: 23, step: 1, count: 11).fits(in: 58))
    #expect(!Resampler.Run(position: .nan, step: 1, count: 12).fits(in: 5_800))
    #expect(!Resampler.Run(position: 23, step: .infinity, count: 12).fits(in: 5_800))
  }
}
