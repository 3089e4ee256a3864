import TestSupport
import Testing

@testable import Recording

@Suite struct DitherTests {
  private func rounded(_ samples: [Float]) -> [Int16] {
    var dither = Dither()
    return [Int16](unsafeUninitializedCapacity: samples.count) { output, filled in
      samples.withUnsafeBufferPointer { dither.quantize($0, into: output) }
      filled = samples.count
    }
  }

  @Test func theErrorIsNoiseOfHalfAStepWhateverIsPlayed() {
    for level in [Float(0), 0.2, 0.5, 0.93] {
      let samples = [Float](repeating: level / 32_768, count: 100_000)
      let errors = zip(rounded(samples), samples).map { Double($0) - Double($1) * 32_768 }
      let mean = errors.reduce(0, +) / Double(errors.count)
      let power = errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)
      #expect(abs(mean) < 0.01, "at \(level): \(mean)")
      // A twelfth from rounding, a sixth from the noise: a quarter, at every level.
      #expect(abs(power - 0.25) < 0.01, "at \(level): \(power)")
    }
  }

  @Test func aToneBelowOneStepSurvivesWithoutHarmonics() {
    let tone = Tone.stereo(1_000, level: 0.4 / 32_768, frames: 192_000)
    let numbers = rounded(tone)
    let plane = stride(from: 0, to: numbers.count, by: 2).map { Float(numbers[$0]) }
    #expect(abs(Tone.amplitude(1_000, in: plane) - 0.4) < 0.02)
    for harmonic in [2_000.0, 3_000, 5_000, 7_000] { #expect(Tone.amplitude(harmonic, in: plane) < 0.01) }
    // Plain rounding makes silence of it.
    #expect(tone.allSatisfy { ($0 * 32_768).rounded() == 0 })
  }

  @Test func oversAndNonsenseStayInRange() {
    #expect(rounded([2, -2, .infinity, -.infinity, .nan]) == [32_767, -32_768, 32_767, -32_768, 0])
  }
}
