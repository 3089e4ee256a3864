import Music

/// How far a mix is taken up or down as a whole, and where its limiter stands.
struct MixLevel {
  /// What is left between loudness and target is not worth another measurement, in LU.
  private static let tolerance = 0.1
  /// Measurements after the first one, each of which takes the limiter's doing into account.
  private static let corrections = 2
  /// The most by which the limiter may take peaks down for a loudness target, in dB: beyond that the music suffers more
  /// than its level gains.
  private static let mostLimiting = 12.0

  /// Of the sum, in dB: the settings' and the normalisation's.
  var gain: Double
  /// Of the limiter, in dBTP.
  var ceiling: Double
  /// The normalisation's part of `gain`, nil where none was asked for.
  var normalizationGain: Double?

  /// The level that `settings` ask for; where that is a loudness, the mix is measured first.
  init(_ settings: MixSettings, of pass: MixPass, progress: inout ProgressMeter) throws {
    gain = settings.gain
    ceiling = settings.normalization?.truePeak ?? Mixer.ceiling
    guard let target = settings.normalization else { return }
    progress.passes = 2
    let (loudness, truePeak) = try MixLevel.measure(pass, gain: gain, ceiling: nil, &progress)
    guard let loudness, let truePeak else {
      // Silence has no loudness that could be changed.
      normalizationGain = 0
      return
    }
    let most = target.truePeak - truePeak + MixLevel.mostLimiting
    var change = min(target.loudness - loudness, most)
    // Where the limiter has nothing to do, the loudness follows the gain exactly.
    if truePeak + change > target.truePeak - Mixer.margin {
      for _ in 0..<MixLevel.corrections {
        progress.passes += 1
        let (reached, _) = try MixLevel.measure(pass, gain: gain + change, ceiling: ceiling, &progress)
        guard let reached, abs(target.loudness - reached) > MixLevel.tolerance, change < most else { break }
        change = min(change + target.loudness - reached, most)
      }
    }
    gain += change
    normalizationGain = change
  }

  private static func measure(
    _ pass: MixPass, gain: Double, ceiling: Double?, _ progress: inout ProgressMeter
  ) throws -> (loudness: Double?, truePeak: Double?) {
    var readings = MixReadings()
    try pass.run(gain: gain, ceiling: ceiling, progress: { try progress.tell($0) }) { block in
      block.withUnsafeBufferPointer { readings.add($0) }
    }
    readings.finish()
    progress.endPass()
    return (readings.integrated, readings.truePeak)
  }
}

/// What is measured of a mix as it passes.
struct MixReadings {
  private var loudness = Loudness(channels: 2)
  private var truePeakMeter = TruePeakMeter()
  private var highest: Float = 0

  /// Takes interleaved stereo at 48 kHz.
  mutating func add(_ samples: UnsafeBufferPointer<Float>) {
    loudness.add(samples)
    truePeakMeter.add(samples)
    highest = max(highest, SamplePeak.highest(samples))
  }

  /// Ends the mix.
  mutating func finish() { truePeakMeter.finish() }

  /// Integrated loudness in LUFS, nil where it cannot be told.
  var integrated: Double? { loudness.integrated }
  /// Highest sample in dBFS, nil for silence.
  var peak: Double? { Gain.level(of: highest) }
  /// Highest true peak in dBTP, nil for silence.
  var truePeak: Double? { Gain.level(of: max(highest, truePeakMeter.highest)) }
}
