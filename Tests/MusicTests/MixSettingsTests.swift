import Music
import Testing

@Suite struct MixSettingsTests {
  private func problem(
    tracks: [Int]? = nil, length: Int64? = nil, _ change: (inout MixSettings) -> Void
  ) -> MixSettingsProblem? {
    var settings = MixSettings()
    change(&settings)
    do throws(MixSettingsProblem) {
      try settings.check(tracks: tracks, length: length.map { SamplePosition($0) })
      return nil
    } catch {
      return error
    }
  }

  @Test func untouchedSettingsAreTheTakesOwnMix() throws {
    var settings = MixSettings(channels: [1: .init(), 2: .init()])
    #expect(settings.isUnchanged)
    try settings.check(tracks: [1, 2], length: SamplePosition(0))
    settings.channels[2]?.pan = 0.1
    #expect(!settings.isUnchanged)
    #expect(!MixSettings(gain: -1).isUnchanged)
    #expect(!MixSettings(fadeOut: 1).isUnchanged)
    #expect(!MixSettings(range: SamplePosition(0)..<SamplePosition(1)).isUnchanged)
  }

  @Test func muteIsStrongerThanSoloAndSoloThanTheRest() {
    var settings = MixSettings(channels: [1: .init(isSolo: true), 2: .init(isMuted: true, isSolo: true)])
    #expect([1, 2, 3].map(settings.isHeard) == [true, false, false])
    settings.channels[1]?.isSolo = false
    #expect([1, 2, 3].map(settings.isHeard) == [false, false, false])
    settings.channels[2]?.isSolo = false
    #expect([1, 2, 3].map(settings.isHeard) == [true, false, true])
  }

  @Test func everyRangeIsNamedWithFieldAndValue() {
    let cases: [(String, (inout MixSettings) -> Void)] = [
      ("channels.2.gain", { $0.channels[2] = .init(gain: 24.5) }),
      ("channels.2.gain", { $0.channels[2] = .init(gain: .nan) }),
      ("channels.1.pan", { $0.channels[1] = .init(pan: -1.01) }),
      ("channels.1.offset", { $0.channels[1] = .init(offset: 600 * 48_000 + 1) }),
      ("channels.1.offset", { $0.channels[1] = .init(offset: .min) }),
      ("channels.1.highPass", { $0.channels[1] = .init(highPass: 9) }),
      ("channels", { $0.channels[3] = .init() }),
      ("gain", { $0.gain = -.infinity }),
      ("normalization.loudness", { $0.normalization = .init(loudness: -4) }),
      ("normalization.truePeak", { $0.normalization = .init(loudness: -16, truePeak: 0.1) }),
      ("range", { $0.range = SamplePosition(-1)..<SamplePosition(9) }),
      ("range", { $0.range = SamplePosition(9)..<SamplePosition(9) }),
      ("range", { $0.range = SamplePosition(9)..<SamplePosition(96_001) }),
      ("fadeIn", { $0.fadeIn = 96_001 }),
      ("fadeOut", { $0.fadeOut = -1 }),
      ("fadeOut", { ($0.fadeIn, $0.fadeOut) = (48_000, 48_001) }),
      ("fadeIn", { ($0.fadeIn, $0.range) = (20, SamplePosition(9)..<SamplePosition(19)) }),
    ]
    for (field, change) in cases {
      let found = problem(tracks: [1, 2], length: 96_000, change)
      #expect(found?.field == field, "\(field): \(found?.description ?? "accepted")")
    }
    #expect(
      problem { $0.channels[2] = .init(pan: 3) }?.description == "channels.2.pan is 3.0; permitted: -1.0…1.0")
    #expect(problem { $0.channels[7] = .init(gain: -96, pan: 1, offset: -28_800_000, highPass: 2_000) } == nil)
    #expect(problem { $0.fadeIn = .max } == nil)
    #expect(problem { $0.channels[0] = .init() }?.field == "channels")
  }
}
