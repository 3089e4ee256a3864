import Recording

/// Where Opus packets that come by RTMP lie: by counted samples, because timestamps are rounded to milliseconds; these
/// only count where they show a gap (rtmp.md section 7.4).
struct OpusTimeline {
  /// Packets that a timestamp may be off before it is a gap.
  private static let tolerance: Int64 = 2

  /// The pre-skip (RFC 7845 section 4.2) that the render takes off every musician's track.
  private static let usualPreSkip: Int64 = 312

  /// Samples at 48 kHz that the encoder put before the first that it was given.
  var preSkip = OpusTimeline.usualPreSkip
  private var next: Int64?

  /// The time of a packet's first sample, in samples at 48 kHz; nil for what is no Opus.
  mutating func place(_ packet: [UInt8], timestamp milliseconds: Int64) -> Int64? {
    guard let opus = OpusPacket(packet.span) else { return nil }
    let length = Int64(opus.duration)
    let said = milliseconds &* 48
    var time = next ?? said
    if abs(said &- time) > OpusTimeline.tolerance * length { time = said }
    next = time &+ length
    return time &- (preSkip - OpusTimeline.usualPreSkip)
  }

  /// The pre-skip of an OpusHead, the usual one where it says nothing.
  static func preSkip(of head: [UInt8]) -> Int64 {
    guard head.count >= 19, head.starts(with: Array("OpusHead".utf8)) else { return usualPreSkip }
    return Int64(head[10]) | Int64(head[11]) << 8
  }

  /// The channels of an OpusHead, nil where it says nothing.
  static func channels(of head: [UInt8]) -> Int? {
    guard head.count >= 19, head.starts(with: Array("OpusHead".utf8)) else { return nil }
    return Int(head[9])
  }
}
