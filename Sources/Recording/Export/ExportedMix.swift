import Music

/// A mix that was exported.
package struct ExportedMix: Hashable, Sendable {
  package var file: FinishedFile
  package var format: ExportFormat
  /// The file's, in Hz.
  package var rate: Int
  /// On the time line: in samples at 48 kHz, whatever the file's rate.
  package var length: SamplePosition
  /// The place on the take's time line at which the file begins: before the zero where a track was moved there.
  package var start: SamplePosition
  /// How each track was moved against the take's time line, besides the offsets of the settings.
  package var shifts: [TrackShift]
  /// By how much the loudness was changed, in dB; nil where no loudness was asked for.
  package var normalizationGain: Double?
  /// Highest sample in dBFS, nil for silence.
  package var peak: Double?
  /// Highest true peak in dBTP, nil for silence and where the file is a copy.
  package var truePeak: Double?
  /// Integrated loudness in LUFS (EBU R 128), nil where it cannot be told.
  package var loudness: Double?
}
