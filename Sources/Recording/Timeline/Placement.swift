import Machines

/// The mapping of a stream's samples to the take's time line: follows the clock's estimate by bending, never by
/// jumping.
///
/// Positions in the stream count decoded samples from its first RTP time. Each block of the time line is a straight
/// piece; pieces join without a seam, and their slopes differ by millionths.
package struct Placement: Hashable, Sendable, Codable {
  /// Time constants for correcting a difference from the estimate: 63 % in this many seconds.
  static let usualTimeConstant = 5.0
  static let longTimeConstant = 100.0
  /// Maximum pitch change by the correction: 0.2 per mille, a third of a cent, which is inaudible.
  private static let greatestBend = 200e-6

  /// The straight piece for one block.
  package struct Piece: Hashable, Sendable, Codable {
    /// First sample on the time line.
    package var start: Int64
    /// Its position in the stream, in samples and fractions.
    package var position: Double
    /// Stream samples per sample of the time line.
    package var step: Double

    /// The position on the time line of the stream's sample `index`.
    func timeline(of index: Double) -> Int64 {
      Int64(saturating: max(-1e14, min(1e14, (Double(start) + (index - position) / step).rounded())))
    }
  }

  /// The next sample on the time line.
  package private(set) var next: Int64
  /// Its position in the stream.
  package private(set) var position: Double
  /// Difference of the last piece from the estimate, in samples.
  package private(set) var difference = 0.0

  /// Starts at sample `start` of the time line, at the exact current estimate of `clock`.
  package init(start: Int64, clock: some CaptureLine) {
    next = start
    position = Placement.target(of: start, clock)
  }

  /// The position on the time line of the stream's first captured sample, by the current estimate of `clock`.
  package static func start(of first: Int64, _ clock: some CaptureLine) -> Int64 {
    let seconds = clock.captureTime(atMedia: Double(first) / SenderClock.rate)
    return Int64(saturating: max(-1e12, min(1e12, (seconds * SenderClock.rate).rounded(.up))))
  }

  /// Returns the piece for the next `count` samples of the time line.
  package mutating func advance(_ count: Int, toward clock: some CaptureLine) -> Piece {
    difference = Placement.difference(of: position, at: next, clock)
    let natural = 1 / (1 + clock.slope(at: Double(next) / SenderClock.rate))
    let bend = difference / (clock.timeConstant * SenderClock.rate)
    let step = natural + max(-Placement.greatestBend, min(Placement.greatestBend, bend))
    let piece = Piece(start: next, position: position, step: step)
    next += Int64(count)
    position += step * Double(count)
    return piece
  }

  /// Distance in the stream from `position` to the estimate of `clock` for sample `index` of the time line, in
  /// samples.
  static func difference(of position: Double, at index: Int64, _ clock: some CaptureLine) -> Double {
    target(of: index, clock) - position
  }

  /// The media time, in seconds, at `position` of the decoded stream.
  static func media(of position: Double) -> Double {
    (position - Double(OpusPacket.encoderLookahead)) / SenderClock.rate
  }

  /// The position of sample `index` of the time line in the decoded stream, which lags behind capture by the
  /// encoder's look-ahead.
  private static func target(of index: Int64, _ clock: some CaptureLine) -> Double {
    clock.media(at: Double(index) / SenderClock.rate) * SenderClock.rate + Double(OpusPacket.encoderLookahead)
  }
}

/// Relates a stream's media time to the instants of capture: a rolling estimate, or the result of a whole-take
/// survey.
package protocol CaptureLine {
  /// The instant of capture (seconds from the take's zero) of the sample at `media` seconds.
  func captureTime(atMedia media: Double) -> Double
  /// The media time captured at `time`.
  func media(at time: Double) -> Double
  /// How much longer a second of media at `time` takes on our clock, in seconds.
  func slope(at time: Double) -> Double
  /// Time in which a placement follows the line, in seconds.
  var timeConstant: Double { get }
}

extension SenderClock: CaptureLine {
  package func slope(at time: Double) -> Double { slope }
}
