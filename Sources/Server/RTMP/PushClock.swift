import Machines

/// The arrival of a message of a stream.
struct StreamArrival: Hashable, Sendable {
  var time: MonotonicTime
  /// The time of arrival if it had been sent in real time.
  var due: MonotonicTime
}

/// Distinguishes a file pushed faster than real time from a live musician, and computes when each of its messages would
/// have arrived in real time.
///
/// A musician's messages may come in a burst after a pause or at the very beginning, and a clock may run fast, but they
/// are never far ahead of the first. Messages of an initial burst had been waiting: their sound is older than their
/// arrival.
struct PushClock {
  /// Lead beyond that of any live musician.
  private static let greatestLead = MonotonicTime.Span.seconds(2)
  /// The longest gap accepted from timestamps, in milliseconds; a longer jump means another clock.
  private static let longestStep: Int64 = 10_000
  /// Tolerated clock drift as one part in this many: a clock that runs no faster never gets ahead.
  private static let tolerance: Int64 = 500
  /// Time after which the kind of the stream is decided.
  private static let trial = MonotonicTime.Span.milliseconds(500)

  /// The place of a message's sound.
  struct Place: Hashable {
    /// The time of arrival if it had not been waiting.
    var arrival: MonotonicTime
    /// For a pushed file: the time by its timestamps.
    var due: MonotonicTime?
  }

  /// True if the stream is a pushed file.
  private(set) var isPushed = false
  private var isOver = false
  /// The time of deciding for a live musician, and the lead of the messages by then.
  private var trial: (end: MonotonicTime, lead: MonotonicTime.Span)?
  private var first: MonotonicTime?
  private var last: (timestamp: Int64, due: MonotonicTime, lead: MonotonicTime.Span)?

  /// Adds a message with its timestamp in milliseconds.
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

  /// Ends the stream.
  mutating func end() { isOver = true }

  /// The place of a message, nil while a later message may change it.
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
