import TestSupport
import Testing

@testable import Recording

@Suite struct RateConverterTests {
  private func converted(_ samples: [Float], to rate: Int, pieces: Int = 15_360) -> [Float] {
    var converter = RateConverter(rate: rate)
    var output: [Float] = []
    for start in stride(from: 0, to: samples.count, by: pieces * 2) {
      samples[start..<min(samples.count, start + pieces * 2)].withUnsafeBufferPointer {
        output += converter.take($0)
      }
    }
    return output + converter.finish()
  }

  private func left(_ samples: [Float]) -> [Float] { stride(from: 0, to: samples.count, by: 2).map { samples[$0] } }

  @Test(arguments: [44_100, 88_200, 96_000]) func everythingBelowTwentyKilohertzStaysAsItIs(rate: Int) {
    for frequency in [50.0, 997, 10_000, 17_000, 19_900] {
      let tone = Tone.stereo(frequency, level: 0.5, frames: 48_000)
      let output = left(converted(tone, to: rate))
      #expect(Int64(output.count) == RateConverter.frames(48_000, rate: rate))
      let level = Tone.level(Tone.amplitude(frequency, in: output, rate: Double(rate)) / 0.5)
      #expect(abs(level) < 0.001, "\(frequency) Hz at \(rate): \(level) dB")
    }
  }

  @Test func nothingFoldsBackBelowHalfOfTheRate() {
    for frequency in [22_100.0, 22_800, 23_500, 23_950] {
      let output = left(converted(Tone.stereo(frequency, level: 0.5, frames: 48_000), to: 44_100))
      let inner = Array(output[2_000..<42_000])
      let alias = Tone.level(Tone.amplitude(44_100 - frequency, in: inner, rate: 44_100) / 0.5)
      #expect(alias < -115, "\(frequency) Hz comes back at \(44_100 - frequency) with \(alias) dB")
      #expect(Tone.level(Double(inner.map(abs).max() ?? 1) / 0.5) < -110)
    }
  }

  @Test(arguments: [88_200, 96_000]) func nothingIsMirroredUp(rate: Int) {
    for frequency in [1_000.0, 12_000, 19_900] {
      let output = left(converted(Tone.stereo(frequency, level: 0.5, frames: 48_000), to: rate))
      let image = Tone.level(Tone.amplitude(48_000 - frequency, in: output, rate: Double(rate)) / 0.5)
      #expect(image < -115, "\(frequency) Hz at \(rate): \(image) dB")
    }
  }

  @Test func piecesDoNotMatterAndTheFirstSampleStaysTheFirst() {
    let noise = Tone.noise(3, frames: 20_000)
    let whole = converted(noise, to: 44_100, pieces: 20_000)
    #expect(converted(noise, to: 44_100, pieces: 7) == whole)
    #expect(converted(noise, to: 44_100, pieces: 4_801) == whole)
    var click = [Float](repeating: 0, count: 9_600)
    click[320 * 2] = 1
    let output = left(converted(click, to: 44_100))
    #expect(output.firstIndex(of: output.max() ?? 0) == 294)
    #expect(converted([], to: 44_100).isEmpty)
  }
}
