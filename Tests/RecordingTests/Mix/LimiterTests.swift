import Glibc
import TestSupport
import Testing

@testable import Recording

@Suite struct LimiterTests {
  /// Sends interleaved stereo through a mixer with unity gain and takes its delay off.
  private func mix(_ samples: [Float]) -> [Float] {
    var mixer = Mixer(frames: 960)
    var output: [Float] = []
    let padded = samples + [Float](repeating: 0, count: 960 * 2 - samples.count % 1_920 + 1_920)
    for start in stride(from: 0, to: padded.count - 1_919, by: 1_920) {
      padded[start..<(start + 1_920)].withUnsafeBufferPointer {
        mixer.add($0, channels: 2, gain: Gain(decibels: 0))
      }
      mixer.process { output.append(contentsOf: $0) }
    }
    return Array(output.dropFirst(Mixer.latency * 2).prefix(samples.count))
  }

  private func truePeak(_ samples: [Float]) -> Float {
    max(
      TruePeak.highest(in: stride(from: 0, to: samples.count, by: 2).map { samples[$0] }),
      TruePeak.highest(in: stride(from: 1, to: samples.count, by: 2).map { samples[$0] }))
  }

  private let ceiling = Gain(decibels: -1).factor

  @Test func aQuietMixPassesUntouched() {
    let samples = (0..<9_600).map { Float(0.3 * sin(Double($0 / 2) * 0.07)) }
    let isUntouched = mix(samples) == samples
    #expect(isUntouched)
  }

  @Test func aLoudMixNeverSwingsAboveTheCeiling() {
    let signal = VirtualSignal(tempo: 20, level: 3)
    let samples = (0..<19_200).map { signal.sample(Double($0 / 2) / 48_000, channel: $0 % 2) }
    let output = mix(samples)
    #expect(truePeak(samples) > 2)
    #expect(truePeak(output) <= ceiling)
    #expect(truePeak(output) > ceiling * 0.7)
  }

  @Test func clicksAndNoiseAndSquareWavesStayBelowToo() {
    var random = SeededRandom(8)
    var samples = (0..<9_600).map { _ in Float(random.unit() * 8 - 4) }
    samples += (0..<9_600).map { $0 / 2 % 400 == 0 ? 10 : 0 }
    samples += (0..<9_600).map { $0 / 2 / 50 % 2 == 0 ? 2 : -2 }
    let output = mix(samples)
    #expect(truePeak(output) <= ceiling)
    #expect(output.allSatisfy { $0.isFinite })
  }

  @Test func peaksBetweenSamplesCount() {
    // A quarter of the rate at 45 degrees: samples at ±0.95, the swing between them at 1.34.
    let samples = (0..<9_600).map { Float(1.344 * sin(Double.pi / 2 * Double($0 / 2) + Double.pi / 4)) }
    #expect((samples.max() ?? 0) < 0.96)
    #expect(truePeak(mix(samples)) <= ceiling)
  }

  @Test func theGainReturnsToExactlyOne() {
    var samples = (0..<240_000).map { Float(0.3 * sin(Double($0 / 2) * 0.07)) }
    samples[2_000] = 4
    let output = mix(samples)
    #expect(output[2_000] <= ceiling)
    let isUntouched = output.suffix(9_600) == samples.suffix(9_600)
    #expect(isUntouched)
  }

  @Test func monoGoesToBothSides() {
    var mixer = Mixer(frames: 4)
    [Float(0.5), -0.5, 0.25, 0].withUnsafeBufferPointer { mixer.add($0, channels: 1, gain: Gain(decibels: 0)) }
    var output: [Float] = []
    for _ in 0...(Mixer.latency / 4) { mixer.process { output.append(contentsOf: $0) } }
    #expect(Array(output.dropFirst(Mixer.latency * 2).prefix(6)) == [0.5, 0.5, -0.5, -0.5, 0.25, 0.25])
  }
}
