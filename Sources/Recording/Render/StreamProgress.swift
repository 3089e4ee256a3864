/// How far a stream had come at which time: what is older than a few seconds is settled, because no step of its clock
/// will be found there any more.
struct StreamProgress: Sendable {
  /// Seconds between two notes.
  private static let interval = 0.1
  /// Notes that are kept: more than the time in which a stream settles.
  private static let capacity = 64

  private var notes: [(arrival: Double, position: Int64)] = []

  /// The stream's packets reach to `lastPosition`, by the one that came at `arrival`.
  mutating func note(lastPosition: Int64, at arrival: Double) {
    if let last = notes.last, arrival - last.arrival < StreamProgress.interval { return }
    if notes.count == StreamProgress.capacity { notes.removeFirst() }
    notes.append((arrival, lastPosition))
  }

  /// How far it had come by `time`; nil where it had not begun, or that is too long ago.
  func position(by time: Double) -> Int64? { notes.last { $0.arrival <= time }?.position }
}
