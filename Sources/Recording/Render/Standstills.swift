/// Positions in a stream where the microphone dropped samples without advancing RTP time, which counts only the
/// others.
struct Standstills: Codable {
  private struct Known: Codable {
    /// The first packet after it.
    var sequence: Int64
    var samples: Int64
  }

  private struct Doubtful: Codable {
    var media: ClosedRange<Double>
    var seconds: Double
  }

  /// The first packet after each standstill, and its length in samples.
  private var known: [Known] = []
  /// Media times whose position relative to a standstill is unknown, and its length, in seconds.
  private var doubtful: [Doubtful] = []

  /// Adds a standstill of `samples` samples before the packet `sequence`.
  ///
  /// - Parameters:
  ///   - media: the times between which it lies, in seconds; nil if its position is known.
  ///   - oldest: the lowest sequence number that may still arrive.
  mutating func add(_ samples: Int64, before sequence: Int64, between media: ClosedRange<Double>?, oldest: Int64) {
    known.removeAll { $0.sequence < oldest }
    known.append(Known(sequence: sequence, samples: samples))
    guard let media else { return }
    let seconds = Double(samples) / SenderClock.rate
    doubtful.append(
      Doubtful(media: media.lowerBound...(media.upperBound + max(0, seconds)), seconds: abs(seconds)))
  }

  /// Total samples of standstill between the packet `sequence` and the newest.
  func samples(behind sequence: Int64) -> Int64 {
    known.reduce(0) { $1.sequence > sequence ? $0 + $1.samples : $0 }
  }

  /// The possible error of the samples between two positions of the stream (in samples), in seconds; positions
  /// ascend.
  mutating func doubt(from start: Double, to end: Double) -> Double {
    let (from, to) = (start / SenderClock.rate, end / SenderClock.rate)
    doubtful.removeAll { $0.media.upperBound < from - 1 }
    return doubtful.reduce(0) { $0 + ($1.media.lowerBound <= to && $1.media.upperBound >= from ? $1.seconds : 0) }
  }
}

/// The progress of a stream over time: positions older than a few seconds are settled, because no clock step will be
/// found there any more.
struct StreamProgress: Sendable, Codable {
  private struct Note: Codable {
    var arrival: Double
    var position: Int64
  }

  /// Seconds between two entries.
  private static let interval = 0.1
  /// Number of entries kept: more than the time in which a stream settles.
  private static let capacity = 64

  private var notes: [Note] = []

  /// Records that the packet that arrived at `arrival` extends the stream to `lastPosition`.
  mutating func note(lastPosition: Int64, at arrival: Double) {
    if let last = notes.last, arrival - last.arrival < StreamProgress.interval { return }
    if notes.count == StreamProgress.capacity { notes.removeFirst() }
    notes.append(Note(arrival: arrival, position: lastPosition))
  }

  /// The position reached by `time`; nil if the stream had not begun, or if that is too long ago.
  func position(by time: Double) -> Int64? { notes.last { $0.arrival <= time }?.position }
}
