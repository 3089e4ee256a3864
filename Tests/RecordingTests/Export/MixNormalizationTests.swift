import CEBUR128
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct MixNormalizationTests {
  /// Loudness and true peak by the reference library.
  private func measure(_ sound: Interleaved) throws -> (loudness: Double, truePeak: Double) {
    let mode = Int32(EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue)
    let state = try #require(ebur128_init(2, 48_000, mode))
    defer {
      var state = Optional(state)
      ebur128_destroy(&state)
    }
    _ = ebur128_add_frames_float(state, sound.samples, sound.samples.count / 2)
    var (loudness, left, right) = (0.0, 0.0, 0.0)
    _ = ebur128_loudness_global(state, &loudness)
    _ = ebur128_true_peak(state, 0, &left)
    _ = ebur128_true_peak(state, 1, &right)
    return (loudness, Tone.level(max(left, right)))
  }

  private func music(_ seed: UInt64, level: Float) -> [Float] {
    VirtualSignal(tempo: 3, level: Double(level), seed: seed).stereo(frames: 288_000)
  }

  @Test(arguments: [-30.0, -23, -16]) func theMixHasTheLoudnessThatWasAskedFor(target: Double) throws {
    let studio = try MixStudio([music(1, level: 0.1), music(9, level: 0.1)])
    let (mix, sound) = try studio.export(MixSettings(normalization: .init(loudness: target)))
    let found = try measure(sound)
    #expect(abs(found.loudness - target) < 0.15, "\(found.loudness) LUFS")
    #expect(abs(try #require(mix.loudness) - found.loudness) < 0.05)
    #expect(found.truePeak <= -1)
    #expect(abs(try #require(mix.truePeak) - found.truePeak) < 0.2)
  }

  @Test(arguments: [-1.0, -3, -9]) func theCeilingHoldsAndLoudnessGivesWay(ceiling: Double) throws {
    let studio = try MixStudio([music(1, level: 0.1), music(9, level: 0.1)])
    let (mix, sound) = try studio.export(MixSettings(normalization: .init(loudness: -5, truePeak: ceiling)))
    let found = try measure(sound)
    #expect(found.truePeak <= ceiling, "\(found.truePeak) dBTP")
    #expect(found.truePeak > ceiling - 1)
    #expect(try #require(mix.loudness) <= -5 + 0.15)
    #expect(abs(try #require(mix.loudness) - found.loudness) < 0.05)
  }

  @Test func silenceStaysSilence() throws {
    let studio = try MixStudio([[Float](repeating: 0, count: 96_000)])
    let (mix, sound) = try studio.export(MixSettings(normalization: .init(loudness: -16)))
    #expect(mix.normalizationGain == 0)
    #expect(mix.loudness == nil && mix.peak == nil)
    #expect(sound.samples.allSatisfy { $0 == 0 })
  }

  @Test func theMeterFindsTheTruePeakOfAStreamInAnyPieces() throws {
    let sound = music(4, level: 0.7)
    let planes = [0, 1].map { side in stride(from: side, to: sound.count, by: 2).map { sound[$0] } }
    let whole = planes.map(TruePeak.highest).max() ?? 0
    for piece in [1, 7, 960, 15_360] {
      var meter = TruePeakMeter()
      for start in stride(from: 0, to: sound.count, by: piece * 2) {
        sound[start..<min(sound.count, start + piece * 2)].withUnsafeBufferPointer { meter.add($0) }
      }
      meter.finish()
      #expect(meter.highest == whole, "in pieces of \(piece)")
    }
  }
}
