import Music

/// A mix that was exported.
package struct ExportedMix: Hashable, Sendable {
  package var file: FinishedFile
  package var length: SamplePosition
  /// Where the take's zero lies in the file: behind its beginning when a track was moved before it.
  package var zero: SamplePosition
  /// How each track was moved against the take's time line.
  package var shifts: [TrackShift]
  /// Highest sample in dBFS, nil for silence.
  package var peak: Double?
  /// Integrated loudness in LUFS (EBU R 128), nil where it cannot be told.
  package var loudness: Double?
}
