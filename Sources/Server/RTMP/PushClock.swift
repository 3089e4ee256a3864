import Machines

/// When a message of a stream came.
struct StreamArrival: Hashable, Sendable {
  var time: MonotonicTime
  /// When it would have come if it had been sent as it is played.
  var due: MonotonicTime
}

/// Tells a file that is pushed faster than it plays from a musician who plays, and when each of its messages would have
/// come.
///
/// A musician's messages may come in a burst after a pause, or at the very beginning, and a clock may run fast; but they
/// are never far ahead of the first. What came in a burst at the beginning had waited, and was heard before it came.
struct PushClock {
  /// So far ahead no musician is.
  private static let greatestLead = MonotonicTime.Span.seconds(2)
  /// The longest gap that timestamps may tell of, in milliseconds; a jump beyond is another clock.
  private static let longestStep: Int64 = 10_000
  /// A musician's clock may run so much faster than ours, one part of this many, without ever getting ahead.
  private static let tolerance: Int64 = 500
  /// After so long it is known what the stream is.
  private static let trial = MonotonicTime.Span.milliseconds(500)

  /// Where a message's sound lies.
  struct Place: Hashable {
    /// When it would have come if it had not waited.
    var arrival: MonotonicTime
    /// The same of a file that is pushed, by its timestamps.
    var due: MonotonicTime?
  }

  /// The stream is a file that is pushed.
  private(set) var isPushed = false
  private var isOver = false
  /// When it was decided that somebody plays, and by how much messages had come to be ahead of the first.
  private var trial: (end: MonotonicTime, lead: MonotonicTime.Span)?
  private var first: MonotonicTime?
  private var last: (timestamp: Int64, due: MonotonicTime, lead: MonotonicTime.Span)?

  /// A message comes, with its timestamp in milliseconds.
  mutating func add(timestamp: Int64, at arrival: MonotonicTime) -> StreamArrival {
    if first == nil { first = arrival }
    var due = arrival
    if let last {
      let step = MonotonicTime.Span.milliseconds(
        min(max(0, timestamp &- last.timestamp), PushClock.longestStep))
      due = max(arrival, last.due + (isPushed ? step : step - step / PushClock.tolerance))
    }
    let lead = due - arrival
    if lead > PushClock.greatestLead { isPushed = true }
    last = (timestamp, due, lead)
    return StreamArrival(time: arrival, due: due)
  }

  /// No more messages come.
  mutating func end() { isOver = true }

  /// Where a message lies, nil as long as a later one may change that.
  mutating func place(_ message: StreamArrival, at now: MonotonicTime) -> Place? {
    guard isDecided(at: now) else { return nil }
    if isPushed { return Place(arrival: message.time, due: message.due) }
    let known = trial ?? (now, last?.lead ?? .zero)
    trial = known
    guard message.time <= known.end else { return Place(arrival: message.time) }
    return Place(arrival: min(message.time, message.due - known.lead))
  }

  private func isDecided(at now: MonotonicTime) -> Bool {
    isPushed || isOver || first.map { now - $0 >= PushClock.trial } ?? false
  }
}
