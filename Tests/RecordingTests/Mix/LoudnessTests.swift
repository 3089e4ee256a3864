import CEBUR128
import Glibc
import Recording
import TestSupport
import Testing

@Suite struct LoudnessTests {
  private func ours(_ samples: [Float], channels: Int) -> Double? {
    var loudness = Loudness(channels: channels)
    for start in stride(from: 0, to: samples.count, by: 1_000 * channels) {
      samples[start..<min(samples.count, start + 1_000 * channels)].withUnsafeBufferPointer { loudness.add($0) }
    }
    return loudness.integrated
  }

  private func reference(_ samples: [Float], channels: Int) throws -> Double {
    let state = try #require(ebur128_init(UInt32(channels), 48_000, Int32(EBUR128_MODE_I.rawValue)))
    defer {
      var state = Optional(state)
      ebur128_destroy(&state)
    }
    _ = ebur128_add_frames_float(state, samples, samples.count / channels)
    var result = 0.0
    _ = ebur128_loudness_global(state, &result)
    return result
  }

  @Test func aFullSineOfOneKilohertzHasMinusThree() throws {
    // BS.1770-4: 0 dBFS at 997 Hz in one channel reads -3.01 LUFS.
    let samples = (0..<96_000).map { Float(sin(Double($0) * 2 * .pi * 997 / 48_000)) }
    #expect(abs(try #require(ours(samples, channels: 1)) + 3.01) < 0.01)
  }

  @Test(arguments: [1, 2])
  func agreesWithTheReferenceLibrary(channels: Int) throws {
    var random = SeededRandom(3)
    let signal = VirtualSignal(tempo: 3)
    // Loud, silent and quiet stretches, so that both gates matter.
    let samples = (0..<(48_000 * 4 * channels)).map { index in
      let time = Double(index / channels) / 48_000
      let level: Float = time < 1.5 ? 1 : time < 2.2 ? 0 : 0.05
      return level * signal.sample(time, channel: index % channels) + level * Float(random.unit() - 0.5) * 0.05
    }
    let own = try #require(ours(samples, channels: channels))
    let other = try reference(samples, channels: channels)
    #expect(abs(own - other) < 0.01, "\(own) against \(other)")
  }

  @Test func silenceHasNoLoudness() {
    #expect(ours([Float](repeating: 0, count: 96_000), channels: 2) == nil)
    #expect(ours([], channels: 2) == nil)
  }

  @Test func leadingSilenceAtOnceIsLeadingSilenceInSamples() {
    let signal = VirtualSignal(tempo: 3)
    let sound = signal.samples(from: 0, count: 96_000)
    var quick = Loudness(channels: 1)
    quick.addSilence(100_000)
    sound.withUnsafeBufferPointer { quick.add($0) }
    #expect(quick.integrated == ours([Float](repeating: 0, count: 100_000) + sound, channels: 1))
  }
}
