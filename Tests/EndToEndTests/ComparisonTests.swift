import Testing

/// The measuring instruments of the end-to-end tests tell right from wrong.
@Suite struct ComparisonTests {
  private static let tune = Tune(seed: 99, length: 9)
  /// Where the tune begins in the made-up recording, in seconds.
  private static let origin = 0.643_21

  /// A recording of the tune, as a flawless service would make it.
  private static func recording(gain: Float = 1, isSwapped: Bool = false, of tune: Tune = tune) -> Sound {
    let sound = tune.sound(rate: 48_000, seconds: -origin..<8.5 - origin)
    let channels = sound.channels.map { $0.map { $0 * gain } }
    return Sound(rate: 48_000, channels: isSwapped ? channels.reversed() : channels)
  }

  private static func compare(_ sound: Sound) -> Comparison? {
    Comparison(sound, with: tune, expected: 0.4, from: 1, to: 7)
  }

  @Test func findsTheExactPlaceOfAFlawlessRecording() throws {
    let found = try #require(ComparisonTests.compare(ComparisonTests.recording(gain: 0.9)))
    #expect(abs(found.origin - ComparisonTests.origin) < 0.000_02)
    #expect(found.coefficients.allSatisfy { $0 > 0.99 })
    #expect(found.levels.allSatisfy { abs($0 + 0.915) < 0.05 })
    #expect(found.crosstalk < 0.1)
  }

  @Test func findsMusicAtTheVeryEndsOfARecording() throws {
    let sound = ComparisonTests.recording()
    let length = Double(sound.frames) / Double(sound.rate)
    let first = try #require(Comparison(sound, with: ComparisonTests.tune, expected: 1.1, from: 0.2, to: 4.4))
    let last = try #require(
      Comparison(sound, with: ComparisonTests.tune, expected: 0.4, from: length - 4.3, to: length - 0.1))
    #expect(abs(first.origin - ComparisonTests.origin) < 0.000_02)
    #expect(abs(last.origin - ComparisonTests.origin) < 0.000_02)
  }

  @Test func seesSwappedChannelsMonoAndOtherMusic() throws {
    let swapped = ComparisonTests.compare(ComparisonTests.recording(isSwapped: true))
    #expect(swapped.map { $0.coefficients.allSatisfy { $0 > 0.5 } } != true)
    var mono = ComparisonTests.recording()
    mono.channels[1] = mono.channels[0]
    #expect((ComparisonTests.compare(mono)?.crosstalk ?? 1) > 0.9)
    let other = ComparisonTests.compare(ComparisonTests.recording(of: Tune(seed: 98, length: 9)))
    #expect((other?.coefficients.max() ?? 0) < 0.6)
    #expect(ComparisonTests.compare(Sound(rate: 48_000, channels: [[], []])) == nil)
  }

  @Test func sharesOfAMixAddUpAndShowWhatIsMissing() {
    let second = Tune(seed: 97, length: 9)
    var mix = ComparisonTests.recording(gain: 0.5)
    for (index, sample) in ComparisonTests.recording(gain: 0.5, of: second).left.enumerated() {
      mix.channels[0][index] += sample
    }
    let first = ComparisonTests.compare(mix)
    let other = Comparison(mix, with: second, expected: 0.4, from: 1, to: 7)
    let both = MixShares(mix, of: [first, other].compactMap(\.self), from: 1)
    #expect(both.gains.count == 2)
    #expect(both.explained > 0.95)
    #expect(both.gains.allSatisfy { abs($0 - 0.5) < 0.05 })
    #expect(MixShares(mix, of: [first].compactMap(\.self), from: 1).explained < 0.7)
  }

  @Test func followsARecorderThatStretchesTimeALittle() throws {
    // 200 ppm: sample n of the recording is sample n / 1.0002 of the tune.
    let stretched = ComparisonTests.tune.sound(rate: 48_010, seconds: 0..<8)
    let found = try #require(
      Comparison(
        Sound(rate: 48_000, channels: stretched.channels), with: ComparisonTests.tune, expected: 0, from: 1, to: 7))
    #expect(found.coefficients.allSatisfy { $0 > 0.98 }, "\(found)")
    #expect(found.wander > 0.0008 && found.wander < 0.0015)
  }
}
