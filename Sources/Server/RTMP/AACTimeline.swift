import DequeModule

/// Where the samples of decoded AAC lie: from the frames that went into the decoder to the samples that come out of it.
///
/// RTMP's timestamps are rounded to milliseconds; samples are counted, and a timestamp only counts where it shows a gap
/// (rtmp.md section 7.4).
struct AACTimeline {
  /// Samples of one AAC frame.
  static let frameLength: Int64 = 1_024
  /// Frames that a timestamp may be off before it is a gap.
  private static let tolerance: Int64 = 2
  /// Frames whose arrival is remembered: more than pipes and a decoder hold of the smallest that there are.
  private static let memory = 16_384

  private struct Frame {
    /// The end of the frame among all decoded samples, at 48 kHz.
    var end: Int64
    /// Added to a decoded sample's number: its time.
    var shift: Int64
    var arrival: StreamArrival
  }

  private let rate: Int64
  /// Samples at 48 kHz by which the decoded sound lies behind what was recorded.
  private let delay: Int64
  private var frames = Deque<Frame>()
  private var count: Int64 = 0
  private var shift: Int64?

  /// - Parameters:
  ///   - rate: samples a second of the AAC stream, in Hz.
  ///   - priming: samples of that rate that the encoder put before the first that it was given.
  init(rate: Int, priming: Int) {
    self.rate = Int64(max(1, rate))
    delay = Int64(priming) * 48_000 / self.rate
  }

  /// A frame goes into the decoder.
  mutating func add(timestamp milliseconds: Int64, arrival: StreamArrival) {
    let begin = position(count)
    let said = milliseconds &* 48
    let slack = AACTimeline.tolerance * position(1)
    if let known = shift {
      if abs(said &- (begin &+ known)) > slack { shift = said &- begin }
    } else {
      shift = said &- begin
    }
    count += 1
    frames.append(Frame(end: position(count), shift: shift ?? 0, arrival: arrival))
    if frames.count > AACTimeline.memory { frames.removeFirst() }
  }

  /// The time, in samples at 48 kHz, of decoded sample `number`, and when the frame came in that it belongs to.
  mutating func place(of number: Int64) -> (time: Int64, arrival: StreamArrival)? {
    while frames.count > 1, let first = frames.first, first.end <= number { frames.removeFirst() }
    return frames.first.map { (number &+ $0.shift &- delay, $0.arrival) }
  }

  private func position(_ frames: Int64) -> Int64 {
    frames &* AACTimeline.frameLength &* 48_000 / rate
  }
}
