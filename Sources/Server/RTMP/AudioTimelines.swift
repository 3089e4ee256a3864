import Recording

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
  /// How far timestamps are usually from these times, in samples: another clock moves away slowly, which is no gap.
  private var offset = 0.0
  /// Share of a deviation by which the expectation follows.
  private static let adaptation = 0.02
  /// Greatest deviation that another clock may explain, in packets; more is a packet that the sender has left out.
  private static let drift = 0.4

  /// The time of a packet's first sample, in samples at 48 kHz; nil if the packet is not Opus.
  mutating func place(_ packet: [UInt8], timestamp milliseconds: Int64) -> Int64? {
    guard let opus = OpusPacket(packet.span) else { return nil }
    let length = Int64(opus.duration)
    let said = milliseconds &* 48
    var time = next ?? said
    let deviation = Double(said &- time) - offset
    if abs(deviation) > Double(OpusTimeline.tolerance * length) {
      (time, offset) = (said, 0)
    } else if abs(deviation) < OpusTimeline.drift * Double(length) {
      offset += deviation * OpusTimeline.adaptation
    }
    next = time &+ length
    return time &- (preSkip - OpusTimeline.usualPreSkip)
  }
}
