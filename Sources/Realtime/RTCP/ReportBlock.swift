/// What a receiver says about one source (RFC 3550 §6.4.1).
package struct ReportBlock: Hashable, Sendable {
  /// Length on the wire in bytes.
  static let length = 24
  /// Blocks that fit one report: the count has five bits.
  static let perReport = 31

  /// The source that the block is about.
  package var ssrc: UInt32
  /// Share of packets lost since the last report, in 1/256.
  package var fractionLost: UInt8
  /// Packets lost in all, a signed 24-bit number: duplicates make it negative.
  package var cumulativeLost: Int32
  /// Highest sequence number received, with the count of wraps in the upper 16 bits.
  package var highestSequence: UInt32
  /// Interarrival jitter in timestamp ticks.
  package var jitter: UInt32
  /// Middle 32 bits of the last sender report's NTP time, 0 where none came.
  package var lastSenderReport: UInt32
  /// Time since that report in 1/65536 s.
  package var delaySinceLastSenderReport: UInt32

  package init(
    ssrc: UInt32, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0, highestSequence: UInt32 = 0,
    jitter: UInt32 = 0, lastSenderReport: UInt32 = 0, delaySinceLastSenderReport: UInt32 = 0
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.highestSequence = highestSequence
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }

  /// Reads the block at `offset`; the caller has checked the length.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    ssrc = bytes.bigEndian32(at: offset)
    let loss = bytes.bigEndian32(at: offset &+ 4)
    fractionLost = UInt8(loss &>> 24)
    // Up and down again extends the sign of the lower 24 bits.
    cumulativeLost = Int32(bitPattern: loss &<< 8) &>> 8
    highestSequence = bytes.bigEndian32(at: offset &+ 8)
    jitter = bytes.bigEndian32(at: offset &+ 12)
    lastSenderReport = bytes.bigEndian32(at: offset &+ 16)
    delaySinceLastSenderReport = bytes.bigEndian32(at: offset &+ 20)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.appendBigEndian32(ssrc)
    let lost = UInt32(bitPattern: min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)) & 0xFF_FFFF
    bytes.appendBigEndian32(UInt32(fractionLost) &<< 24 | lost)
    bytes.appendBigEndian32(highestSequence)
    bytes.appendBigEndian32(jitter)
    bytes.appendBigEndian32(lastSenderReport)
    bytes.appendBigEndian32(delaySinceLastSenderReport)
  }

  /// The `count` blocks of a report whose body has them at `offset`.
  static func blocks(_ bytes: Span<UInt8>, _ body: RTCPBody, at offset: Int) throws(RTCPError) -> [ReportBlock] {
    try body.require(offset &+ body.count &* length)
    var blocks: [ReportBlock] = []
    blocks.reserveCapacity(body.count)
    for index in 0..<body.count {
      blocks.append(ReportBlock(bytes, at: body.range.lowerBound &+ offset &+ index &* length))
    }
    return blocks
  }
}
