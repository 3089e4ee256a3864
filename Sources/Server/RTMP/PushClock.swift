import Machines

/// The arrival of a message of a stream.
struct StreamArrival: Hashable, Sendable {
  var time: MonotonicTime
  /// The time of arrival if it had been sent in real time.
  var due: MonotonicTime
  /// Time that it spent on its way beyond the first message, by their timestamps.
  var delay = MonotonicTime.Span.zero
}

/// Distinguishes a file pushed faster than real time from a live musician, and computes when each of its messages would
/// have arrived in real time.
///
/// A musician's messages may come in a burst after a pause or at the very beginning, and a clock may run fast, but they
/// are never far ahead of the first. Messages of an initial burst had been waiting: their sound is older than their
/// arrival.
struct PushClock {
  /// Lead beyond that of any live musician, with bursts of two seconds.
  private static let greatestLead = MonotonicTime.Span.seconds(3)
  /// The longest gap accepted from timestamps, in milliseconds; a longer jump means another clock.
  private static let longestStep: Int64 = 10_000
  /// Tolerated clock drift as one part in this many: a clock that runs no faster never gets ahead.
  private static let tolerance: Int64 = 500
  /// By how much the rounding of two timestamps may make a message seem to have waited.
  private static let rounding = MonotonicTime.Span.milliseconds(1)
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
  /// The time of deciding for a live musician, and by then the lead of the messages and the shortest delay.
  private var trial: (end: MonotonicTime, lead: MonotonicTime.Span, delay: MonotonicTime.Span)?
  private var first: MonotonicTime?
  private var shortest = MonotonicTime.Span.zero
  /// The message furthest ahead.
  private var last: (place: Position, due: MonotonicTime, lead: MonotonicTime.Span)?
  /// The latest message of each track. Tracks are counted one by one, since a message of one may come behind later ones
  /// of another.
  private var tracks: [UInt8: Position] = [:]

  /// A message by its timestamp.
  private struct Position {
    /// In milliseconds.
    var timestamp: Int64
    /// Time since the first message.
    var media: MonotonicTime.Span

    /// The position of the next message of the same track.
    func next(timestamp: Int64) -> Position {
      let step = min(max(0, timestamp &- self.timestamp), PushClock.longestStep)
      return Position(timestamp: timestamp, media: media + .milliseconds(step))
    }

    /// The position of a track's first message, which may have been overtaken by this one.
    func first(timestamp: Int64) -> Position {
      let (distance, overflow) = timestamp.subtractingReportingOverflow(self.timestamp)
      let isNear = !overflow && distance > -PushClock.longestStep && distance < PushClock.longestStep
      return Position(timestamp: timestamp, media: media + .milliseconds(isNear ? distance : 0))
    }
  }

  /// Adds a message of a track with its timestamp in milliseconds.
  mutating func add(timestamp: Int64, track: UInt8 = 0, at arrival: MonotonicTime) -> StreamArrival {
    let first = first ?? arrival
    self.first = first
    let place =
      tracks[track]?.next(timestamp: timestamp) ?? last?.place.first(timestamp: timestamp)
      ?? Position(timestamp: timestamp, media: .zero)
    tracks[track] = place
    var due = arrival
    if let last {
      let step = place.media - last.place.media
      due = max(arrival, last.due + (isPushed || step < .zero ? step : step - step / PushClock.tolerance))
    }
    let lead = due - arrival
    if lead > PushClock.greatestLead { isPushed = true }
    if last.map({ place.media >= $0.place.media }) ?? true { last = (place, due, lead) }
    let delay = arrival - first - place.media
    shortest = min(shortest, delay)
    return StreamArrival(time: arrival, due: due, delay: delay)
  }

  /// Ends the stream.
  mutating func end() { isOver = true }

  /// The place of a message, nil while a later message may change it.
  mutating func place(_ message: StreamArrival, at now: MonotonicTime) -> Place? {
    guard isDecided(at: now) else { return nil }
    // One that was taken for a live musician at first goes on where it was.
    if isPushed { return Place(arrival: message.time, due: message.due - (trial?.lead ?? .zero)) }
    let known = trial ?? (now, last?.lead ?? .zero, shortest)
    trial = known
    guard message.time <= known.end else { return Place(arrival: message.time) }
    return Place(arrival: message.time - max(.zero, message.delay - known.delay - PushClock.rounding))
  }

  private func isDecided(at now: MonotonicTime) -> Bool {
    isPushed || isOver || first.map { now - $0 >= PushClock.trial } ?? false
  }
}
