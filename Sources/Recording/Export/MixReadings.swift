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
