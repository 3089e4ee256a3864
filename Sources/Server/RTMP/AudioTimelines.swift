import DequeModule
import Recording

/// The time line of decoded AAC: maps frames into the decoder to samples out of it.
///
/// RTMP's timestamps are rounded to milliseconds. Samples are counted instead, and a timestamp matters only if it shows
/// a gap (rtmp.md section 7.4).
struct AACTimeline {
  /// Samples per AAC frame.
  static let frameLength: Int64 = 1_024
  /// Deviation of a timestamp that counts as a gap, in frames.
  private static let tolerance: Int64 = 2
  /// Frames whose arrival is remembered: more than pipes and a decoder can hold of the smallest frames.
  private static let memory = 16_384

  private struct Frame {
    /// The end of the frame among all decoded samples, at 48 kHz.
    var end: Int64
    /// Offset from a decoded sample's number to its time.
    var shift: Int64
    var arrival: StreamArrival
  }

  private let rate: Int64
  /// Delay of the decoded sound behind the original, in samples at 48 kHz.
  private let delay: Int64
  private var frames = Deque<Frame>()
  private var count: Int64 = 0
  private var shift: Int64?

  /// - Parameters:
  ///   - rate: samples a second of the AAC stream, in Hz.
  ///   - priming: samples at that rate that the encoder put before its first input sample.
  init(rate: Int, priming: Int) {
    self.rate = Int64(max(1, rate))
    delay = Int64(priming) * 48_000 / self.rate
  }

  /// Adds a frame that goes into the decoder.
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

  /// The time, in samples at 48 kHz, of decoded sample `number`, and the arrival of its frame.
  mutating func place(of number: Int64) -> (time: Int64, arrival: StreamArrival)? {
    while frames.count > 1, let first = frames.first, first.end <= number { frames.removeFirst() }
    return frames.first.map { (number &+ $0.shift &- delay, $0.arrival) }
  }

  private func position(_ frames: Int64) -> Int64 {
    frames &* AACTimeline.frameLength &* 48_000 / rate
  }
}

/// The clock fields of an AudioSpecificConfig (ISO 14496-3 section 1.6.2.1).
struct AACConfiguration: Hashable {
  /// Samples a second, in Hz.
  var rate: Int

  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]
  /// The index for an explicit rate.
  private static let explicit = 15

  /// Nil if the bytes are not a configuration.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let bits = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - min(8, bytes.count)))
    // Object types above 30 take six more bits.
    let offset: UInt64 = bits >> 59 == 31 ? 11 : 5
    let index = Int((bits << offset) >> 60)
    if index == AACConfiguration.explicit {
      let rate = Int((bits << (offset + 4)) >> 40)
      guard bytes.count >= 5, (7_350...96_000).contains(rate) else { return nil }
      self.rate = rate
    } else {
      guard AACConfiguration.rates.indices.contains(index) else { return nil }
      rate = AACConfiguration.rates[index]
    }
  }
}

/// The time line of Opus packets from RTMP: counts samples, because timestamps are rounded to milliseconds; they matter
/// only if they show a gap (rtmp.md section 7.4).
struct OpusTimeline {
  /// Deviation of a timestamp that counts as a gap, in packets.
  private static let tolerance: Int64 = 2

  /// The pre-skip (RFC 7845 section 4.2) that the render removes from every musician's track.
  private static let usualPreSkip: Int64 = 312

  /// Samples at 48 kHz that the encoder put before its first input sample.
  var preSkip = OpusTimeline.usualPreSkip
  private var next: Int64?

  /// The time of a packet's first sample, in samples at 48 kHz; nil if the packet is not Opus.
  mutating func place(_ packet: [UInt8], timestamp milliseconds: Int64) -> Int64? {
    guard let opus = OpusPacket(packet.span) else { return nil }
    let length = Int64(opus.duration)
    let said = milliseconds &* 48
    var time = next ?? said
    if abs(said &- time) > OpusTimeline.tolerance * length { time = said }
    next = time &+ length
    return time &- (preSkip - OpusTimeline.usualPreSkip)
  }

  /// The pre-skip of an OpusHead, otherwise the usual one.
  static func preSkip(of head: [UInt8]) -> Int64 {
    guard head.count >= 19, head.starts(with: Array("OpusHead".utf8)) else { return usualPreSkip }
    return Int64(head[10]) | Int64(head[11]) << 8
  }

  /// The channels of an OpusHead, otherwise nil.
  static func channels(of head: [UInt8]) -> Int? {
    guard head.count >= 19, head.starts(with: Array("OpusHead".utf8)) else { return nil }
    return Int(head[9])
  }
}
