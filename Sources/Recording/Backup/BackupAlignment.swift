/// How a backup lies on a take's time line, and how certain that is.
package struct BackupAlignment: Hashable, Sendable, Codable {
  /// Where the backup's first sample lies, in seconds from the take's zero; negative where it began before.
  package var offset: Double
  /// The backup's clock against the track's, in ppm; positive runs fast.
  package var drift: Double
  /// How much the aligned backup and the track have in common: 1 is the same signal at any level.
  package var correlation: Double
  /// 95 of 100 measured places lie within this of the lines, in milliseconds.
  package var errorBound: Double
  package var mapping: BackupMapping

  package init(offset: Double, drift: Double, correlation: Double, errorBound: Double, mapping: BackupMapping) {
    self.offset = offset
    self.drift = drift
    self.correlation = correlation
    self.errorBound = errorBound
    self.mapping = mapping
  }
}
