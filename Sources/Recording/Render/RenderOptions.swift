import Machines

/// How a take is rendered.
package struct RenderOptions: Hashable, Sendable {
  /// How far the render stays behind the journal: the time that retransmissions may take. Browsers keep what they sent
  /// for 3 s, so nothing comes later than 4.
  package var window: MonotonicTime.Span
  package var format: SoundFileFormat
  /// Whether a mix is made beside the tracks.
  package var makesMix: Bool
  /// Whether files with peaks for waveform displays are made.
  package var makesPeaks: Bool
  /// Gain of a track by its number, where it is not `Mixer.defaultGain`.
  package var gains: [Int: Gain]

  package init(
    window: MonotonicTime.Span = .seconds(4), format: SoundFileFormat = .flac24, makesMix: Bool = true,
    makesPeaks: Bool = true, gains: [Int: Gain] = [:]
  ) {
    self.window = window
    self.format = format
    self.makesMix = makesMix
    self.makesPeaks = makesPeaks
    self.gains = gains
  }
}
