/// The limits for making and keeping exports.
package struct ExportConfiguration: Hashable, Sendable {
  /// Time to keep a finished export, in seconds.
  package var retention: Int64
  /// Number of exports made at a time.
  package var workers: Int
  /// Maximum number of waiting exports.
  package var queueLimit = 32
  /// Maximum number of known exports, including finished ones.
  package var capacity = 1_000

  package init(retention: Int64 = 86_400, workers: Int = 1) {
    self.retention = retention
    self.workers = max(1, workers)
  }
}
