/// Where a microphone left samples out of a stream, and RTP time, which counts the others, did not know of it.
struct Standstills {
  /// The first packet behind each, and its length in samples.
  private var known: [(sequence: Int64, samples: Int64)] = []
  /// Media times of which it is not known whether they lie before or behind one, and its length, in seconds.
  private var doubtful: [(media: ClosedRange<Double>, seconds: Double)] = []

  /// Takes one of `samples` samples, in front of the packet `sequence`.
  ///
  /// - Parameters:
  ///   - media: the times between which it lies, in seconds; nil where its place is known.
  ///   - oldest: the lowest sequence number that may still come.
  mutating func add(_ samples: Int64, before sequence: Int64, between media: ClosedRange<Double>?, oldest: Int64) {
    known.removeAll { $0.sequence < oldest }
    known.append((sequence, samples))
    guard let media else { return }
    let seconds = Double(samples) / SenderClock.rate
    doubtful.append((media.lowerBound...(media.upperBound + max(0, seconds)), abs(seconds)))
  }

  /// Samples for which RTP time stood still between the packet `sequence` and the newest.
  func samples(behind sequence: Int64) -> Int64 {
    known.reduce(0) { $1.sequence > sequence ? $0 + $1.samples : $0 }
  }

  /// How far the samples between two places of the stream (in samples) may lie elsewhere, in seconds; places ascend.
  mutating func doubt(from start: Double, to end: Double) -> Double {
    let (from, to) = (start / SenderClock.rate, end / SenderClock.rate)
    doubtful.removeAll { $0.media.upperBound < from - 1 }
    return doubtful.reduce(0) { $0 + ($1.media.lowerBound <= to && $1.media.upperBound >= from ? $1.seconds : 0) }
  }
}

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
