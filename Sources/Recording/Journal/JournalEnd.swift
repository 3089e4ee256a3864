/// Why a take's journal ends.
package enum JournalEnd: UInt8, Hashable, Sendable, CaseIterable {
  /// Somebody stopped the take.
  case stopped = 1
  /// The take was cut and the next one goes on without a break.
  case split = 2
  /// The last musician left.
  case sessionEnded = 3
  /// The service was told to stop.
  case shutdown = 4
  /// The process died; the journal was closed at the next start.
  case recovered = 5
  /// The recorder could no longer write (disk full) and closed the take.
  case diskFull = 6
  /// A reason that a newer release wrote and this one has no word for.
  case unknown = 255
}
