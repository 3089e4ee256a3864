import Glibc
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct MixDownTests {
  private static let frames = 96_000
  /// What the take's own mix does to every track.
  private static let own = pow(10, -3.0 / 20)

  /// A track at 1 kHz on the left and right, one at 3 kHz.
  private func duo() throws -> MixStudio {
    try MixStudio([Tone.stereo(1_000, frames: Self.frames), Tone.stereo(3_000, frames: Self.frames)])
  }

  /// Levels of both tones on both sides against what was played, in dB.
  private func levels(_ settings: MixSettings, _ studio: MixStudio) throws -> [(left: Double, right: Double)] {
    let sound = try studio.export(settings).sound
    return [1_000.0, 3_000].map { frequency in
      (
        Tone.level(Tone.amplitude(frequency, in: sound.plane(0)) / 0.25 / Self.own),
        Tone.level(Tone.amplitude(frequency, in: sound.plane(1)) / 0.25 / Self.own)
      )
    }
  }

  @Test func gainsActOnTheirTracksAndTheMasterOnAll() throws {
    let studio = try duo()
    let plain = try levels(MixSettings(), studio)
    #expect(plain.allSatisfy { abs($0.left) < 0.001 && abs($0.right) < 0.001 })
    let set = try levels(MixSettings(channels: [1: .init(gain: -12), 2: .init(gain: 3)], gain: -1.5), studio)
    #expect(abs(set[0].left + 13.5) < 0.001 && abs(set[0].right + 13.5) < 0.001)
    #expect(abs(set[1].left - 1.5) < 0.001 && abs(set[1].right - 1.5) < 0.001)
  }

  @Test(arguments: [-1.0, -0.5, 0.25, 1]) func panKeepsThePowerAndTheMiddleIsUntouched(place: Double) throws {
    let studio = try duo()
    let set = try levels(MixSettings(channels: [2: .init(pan: place)]), studio)
    #expect(abs(set[0].left) < 0.001 && abs(set[0].right) < 0.001)
    let power = pow(10, set[1].left / 10) + pow(10, set[1].right / 10)
    #expect(abs(power - 2) < 0.001)
    let angle = (place + 1) * Double.pi / 4
    #expect(abs(pow(10, set[1].left / 20) - 2.0.squareRoot() * cos(angle)) < 0.001)
    #expect(abs(pow(10, set[1].right / 20) - 2.0.squareRoot() * sin(angle)) < 0.001)
  }

  @Test func monoTracksArePlacedLikeStereoOnes() throws {
    let stereo = Tone.stereo(1_000, frames: Self.frames)
    let mono = stride(from: 0, to: stereo.count, by: 2).map { stereo[$0] }
    let studio = try MixStudio([mono], channels: 1)
    let sound = try studio.export(MixSettings(channels: [1: .init(pan: 1)])).sound
    #expect(Tone.amplitude(1_000, in: sound.plane(0)) == 0)
    #expect(abs(Tone.amplitude(1_000, in: sound.plane(1)) - 0.25 * Self.own * 2.0.squareRoot()) < 0.000_1)
  }

  @Test func muteAndSoloLeaveOutExactly() throws {
    let studio = try duo()
    let alone = try MixStudio([Tone.stereo(3_000, frames: Self.frames)]).export().sound
    #expect(try studio.export(MixSettings(channels: [1: .init(isMuted: true)])).sound == alone)
    #expect(try studio.export(MixSettings(channels: [2: .init(isSolo: true)])).sound == alone)
    let silent = MixSettings(channels: [1: .init(isMuted: true), 2: .init(isMuted: true)])
    #expect(throws: ExportProblem.nothingHeard) { try studio.export(silent) }
  }

  @Test func offsetsMoveByWholeSamplesAndCutNothing() throws {
    let studio = try MixStudio([Tone.noise(1, frames: 4_800), Tone.noise(2, frames: 4_800)])
    let (mix, sound) = try studio.export(MixSettings(channels: [1: .init(offset: -96), 2: .init(offset: 480)]))
    #expect(mix.start.samples == -96)
    #expect(mix.length.samples == 4_800 + 96 + 480)
    let first = try studio.export(MixSettings(channels: [2: .init(isMuted: true)])).sound.samples
    let second = try studio.export(MixSettings(channels: [1: .init(isMuted: true)])).sound.samples
    let expected = (0..<sound.samples.count).map { index in
      (index < first.count ? first[index] : 0)
        + (index >= 1_152 && index - 1_152 < second.count ? second[index - 1_152] : 0)
    }
    #expect(zip(sound.samples, expected).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func theHighPassHasItsCornerAndTwelveDecibelsAnOctave() throws {
    for (frequency, expected) in [(80.0, -3.01), (40, -12.3), (20, -24.1), (320, -0.02), (1_000, 0)] {
      let studio = try MixStudio([Tone.stereo(frequency, frames: Self.frames)])
      let sound = try studio.export(MixSettings(channels: [1: .init(highPass: 80)])).sound
      let level = Tone.level(Tone.amplitude(frequency, in: Array(sound.plane().dropFirst(24_000))) / 0.25 / Self.own)
      #expect(abs(level - expected) < 0.1, "\(frequency) Hz: \(level) dB")
    }
  }

  @Test func aRangeIsACutOfTheWhole() throws {
    let studio = try MixStudio([Tone.noise(5, level: 0.9, frames: 144_000), Tone.noise(6, level: 0.9, frames: 144_000)])
    var settings = MixSettings(channels: [1: .init(gain: 2, highPass: 100)])
    let whole = try studio.export(settings).sound
    settings.range = SamplePosition(70_001)..<SamplePosition(100_000)
    let (mix, part) = try studio.export(settings)
    #expect(mix.start.samples == 70_001 && mix.length.samples == 29_999)
    #expect(part.samples.count == 29_999 * 2)
    // The limiter has a memory of a few tenths of a second; it is let hear the second before.
    let worst = zip(part.samples, whole.samples[140_002...]).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 0.000_1)
  }

  @Test func fadesAreQuartersOfASine() throws {
    let studio = try MixStudio([[Float](repeating: 0.5, count: Self.frames * 2)])
    let settings = MixSettings(fadeIn: 48_000, fadeOut: 24_000, range: SamplePosition(1_000)..<SamplePosition(91_000))
    let plane = try studio.export(settings).sound.plane()
    let level = Float(0.5 * Self.own)
    #expect(plane[0] == 0)
    #expect(abs(plane[24_000] / level - Float(0.5.squareRoot())) < 0.001)
    #expect(abs(plane[50_000] / level - 1) < 0.001)
    #expect(abs(plane[90_000 - 12_000] / level - Float(0.5.squareRoot())) < 0.001)
    #expect(abs(plane[89_999] / level) < 0.001)
  }

  @Test func theMixIsTheSumOfItsStemsWhereTheLimiterHasNothingToDo() throws {
    let stems = (1...3).map { Tone.noise(UInt64($0), level: 0.2, frames: Self.frames) }
    let studio = try MixStudio(stems)
    let gains = [-2.0, 1.5, -6]
    let settings = MixSettings(
      channels: Dictionary(uniqueKeysWithValues: gains.enumerated().map { ($0 + 1, .init(gain: $1)) }), gain: -0.5)
    let mix = try studio.export(settings).sound.samples
    let read = try (1...3).map { number in
      let reader = try SoundFileReader("0\(number)-track.flac", in: studio.folder)
      return try reader.read(frames: Self.frames)
    }
    let factors = gains.map { pow(10, ($0 - 3 - 0.5) / 20) }
    var worst = 0.0
    for index in mix.indices {
      let sum = zip(read, factors).reduce(into: 0.0) { $0 += Double($1.0[index]) * $1.1 }
      worst = max(worst, abs(Double(mix[index]) - sum))
    }
    #expect(Tone.level(worst) < -130, "\(Tone.level(worst)) dBFS")
  }

  @Test func wrongSettingsAndRatesAreNamedAndLeaveNoFile() throws {
    let studio = try duo()
    #expect(throws: MixSettingsProblem.self) { try studio.export(MixSettings(channels: [3: .init()])) }
    #expect(throws: MixSettingsProblem.self) { try studio.export(MixSettings(fadeIn: 96_001)) }
    #expect(throws: ExportProblem.rate(22_050, .wav16)) { try studio.export(format: .wav16, rate: 22_050) }
    #expect(throws: ExportProblem.rate(44_100, .opus)) { try studio.export(format: .opus, rate: 44_100) }
    #expect(try studio.folder.names().allSatisfy { !$0.hasPrefix("export") })
  }
}
