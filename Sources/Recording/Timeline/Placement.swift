/// Where a stream's samples lie on the take's time line: follows the clock's estimate by bending, never by jumping.
///
/// A position in the stream counts decoded samples from the stream's first RTP time. Each block of the time line is a
/// straight piece; pieces join without a seam, and their slopes differ by millionths.
package struct Placement: Hashable, Sendable {
  /// How quickly a difference to the estimate is made up for: 63 % in this many seconds.
  private static let timeConstant = 5.0
  /// The most by which making up may bend the pitch: 0.2 thousandths, a third of a cent, which nobody hears.
  private static let greatestBend = 200e-6

  /// The straight piece of one block.
  package struct Piece: Hashable, Sendable {
    /// First sample on the time line.
    package var start: Int64
    /// Where that lies in the stream, in samples and fractions.
    package var position: Double
    /// Stream samples per sample of the time line.
    package var step: Double

    /// The place on the time line of the stream's sample `index`.
    func timeline(of index: Double) -> Int64 {
      Int64(max(-1e14, min(1e14, (Double(start) + (index - position) / step).rounded())))
    }
  }

  /// The next sample on the time line.
  package private(set) var next: Int64
  /// Where that lies in the stream.
  package private(set) var position: Double
  /// How far the last piece was from the estimate, in samples.
  package private(set) var difference = 0.0

  /// Begins at the time line's sample `start`, exactly where `clock` sees it now.
  package init(start: Int64, clock: some CaptureLine) {
    next = start
    position = Placement.target(of: start, clock)
  }

  /// The time line's sample at which the stream's first captured sample lies by `clock` now.
  package static func start(of first: Int64, _ clock: some CaptureLine) -> Int64 {
    let seconds = clock.captureTime(atMedia: Double(first) / SenderClock.rate)
    return Int64(max(-1e12, min(1e12, (seconds * SenderClock.rate).rounded(.up))))
  }

  /// The piece for the next `count` samples of the time line.
  package mutating func advance(_ count: Int, toward clock: some CaptureLine) -> Piece {
    difference = Placement.difference(of: position, at: next, clock)
    let natural = 1 / (1 + clock.slope(at: Double(next) / SenderClock.rate))
    let bend = difference / (Placement.timeConstant * SenderClock.rate)
    let step = natural + max(-Placement.greatestBend, min(Placement.greatestBend, bend))
    let piece = Piece(start: next, position: position, step: step)
    next += Int64(count)
    position += step * Double(count)
    return piece
  }

  /// How much further on in the stream `clock` sees the time line's sample `index` than `position`, in samples.
  static func difference(of position: Double, at index: Int64, _ clock: some CaptureLine) -> Double {
    target(of: index, clock) - position
  }

  /// The media time, in seconds, of what lies at `position` of the decoded stream.
  static func media(of position: Double) -> Double {
    (position - Double(OpusPacket.encoderLookahead)) / SenderClock.rate
  }

  /// Where the time line's sample `index` lies in the decoded stream, which lags behind capture by the encoder's
  /// look-ahead.
  private static func target(of index: Int64, _ clock: some CaptureLine) -> Double {
    clock.media(at: Double(index) / SenderClock.rate) * SenderClock.rate + Double(OpusPacket.encoderLookahead)
  }
}

/// What ties a stream's media time to the instants of capture: a rolling estimate, or what a whole take shows.
package protocol CaptureLine {
  /// The instant (seconds from the take's zero) at which the sample at `media` seconds was captured.
  func captureTime(atMedia media: Double) -> Double
  /// The media time that was captured at `time`.
  func media(at time: Double) -> Double
  /// How much longer a second of media at `time` takes on our clock, in seconds.
  func slope(at time: Double) -> Double
}

extension SenderClock: CaptureLine {
  package func slope(at time: Double) -> Double { slope }
}
