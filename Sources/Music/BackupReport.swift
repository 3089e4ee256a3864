/// How a backup lies on its take's time line, in figures for people.
package struct BackupReport: Hashable, Sendable, Codable {
  /// Where its first sample lies, in seconds from the take's zero.
  package var offset: Double
  /// Its clock against the track's, in ppm; positive runs fast.
  package var drift: Double
  /// What it has in common with the track: 1 is the same signal at any level.
  package var correlation: Double
  /// 95 of 100 measured places lie within this, in milliseconds.
  package var errorBound: Double
  /// Stretches without a jump; each further one tells of samples that were lost, or came twice.
  package var pieces: Int
  /// Samples of the take that it covers.
  package var covered: SamplePosition
  /// Samples of the take in which the track's own sound stands in.
  package var filled: SamplePosition

  package init(
    offset: Double, drift: Double, correlation: Double, errorBound: Double, pieces: Int, covered: SamplePosition,
    filled: SamplePosition
  ) {
    self.offset = offset
    self.drift = drift
    self.correlation = correlation
    self.errorBound = errorBound
    self.pieces = pieces
    self.covered = covered
    self.filled = filled
  }
}
