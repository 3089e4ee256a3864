/// How exports are made and kept.
package struct ExportConfiguration: Hashable, Sendable {
  /// How long a finished export is kept, in seconds.
  package var retention: Int64
  /// Exports that are made at a time.
  package var workers: Int
  /// Exports that wait at most.
  package var queueLimit = 32
  /// Exports that are known at most, finished ones too.
  package var capacity = 1_000

  package init(retention: Int64 = 86_400, workers: Int = 1) {
    self.retention = retention
    self.workers = max(1, workers)
  }
}
