import Music

/// The overall gain of a mix, and the ceiling of its limiter.
struct MixLevel {
  /// Measurements after the first, each of which includes the effect of the limiter.
  private static let corrections = 2

  /// Gain of the sum, in dB: that of the settings plus the normalisation.
  var gain: Double
  /// Ceiling of the limiter, in dBTP.
  var ceiling: Double
  /// The normalisation's part of `gain`; nil if there was no target.
  var normalizationGain: Double?

  /// Determines the level for `settings`, measuring the mix first if they contain a loudness target.
  init(_ settings: MixSettings, of pass: MixPass, progress: inout ProgressMeter) throws {
    gain = settings.gain
    ceiling = settings.normalization?.truePeak ?? Mixer.ceiling
    guard let target = settings.normalization else { return }
    progress.passes = 2
    let (loudness, truePeak) = try MixLevel.measure(pass, gain: gain, ceiling: nil, &progress)
    guard let loudness, let truePeak else {
      // Silence has no loudness to change.
      normalizationGain = 0
      return
    }
    let most = target.truePeak - truePeak + MixSettings.Normalization.mostLimiting
    var change = min(target.loudness - loudness, most)
    // While the limiter is idle, loudness follows the gain exactly.
    if truePeak + change > target.truePeak - Mixer.margin {
      for _ in 0..<MixLevel.corrections {
        progress.passes += 1
        let (reached, _) = try MixLevel.measure(pass, gain: gain + change, ceiling: ceiling, &progress)
        guard let reached, abs(target.loudness - reached) > MixSettings.Normalization.tolerance, change < most else {
          break
        }
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

/// Measurements of a mix as it passes through.
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

  /// Integrated loudness in LUFS; nil if it cannot be measured.
  var integrated: Double? { loudness.integrated }
  /// Highest sample in dBFS; nil for silence.
  var peak: Double? { Gain.level(of: highest) }
  /// Highest true peak in dBTP; nil for silence.
  var truePeak: Double? { Gain.level(of: max(highest, truePeakMeter.highest)) }
}
