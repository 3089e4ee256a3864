/// A sender report: clock, counts and reception of others (RFC 3550 §6.4.1).
package struct SenderReport: Hashable, Sendable {
  private static let fixedLength = 24

  package var ssrc: UInt32
  /// The sender's wall clock.
  package var time: NTPTime
  /// The same instant on the media clock, in ticks.
  package var timestamp: UInt32
  package var packetCount: UInt32
  /// Payload bytes sent, without headers and padding.
  package var byteCount: UInt32
  /// At most 31 are written.
  package var blocks: [ReportBlock]

  package init(
    ssrc: UInt32, time: NTPTime, timestamp: UInt32, packetCount: UInt32, byteCount: UInt32,
    blocks: [ReportBlock] = []
  ) {
    self.ssrc = ssrc
    self.time = time
    self.timestamp = timestamp
    self.packetCount = packetCount
    self.byteCount = byteCount
    self.blocks = blocks
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    try body.require(Self.fixedLength)
    let start = body.range.lowerBound
    ssrc = bytes.bigEndian32(at: start)
    time = NTPTime(bits: bytes.bigEndian64(at: start &+ 4))
    timestamp = bytes.bigEndian32(at: start &+ 12)
    packetCount = bytes.bigEndian32(at: start &+ 16)
    byteCount = bytes.bigEndian32(at: start &+ 20)
    blocks = try ReportBlock.blocks(bytes, body, at: Self.fixedLength)
  }

  var writableBlocks: ArraySlice<ReportBlock> { blocks.prefix(ReportBlock.perReport) }

  func appendBody(to bytes: inout [UInt8]) {
    bytes.appendBigEndian32(ssrc)
    bytes.appendBigEndian64(time.bits)
    bytes.appendBigEndian32(timestamp)
    bytes.appendBigEndian32(packetCount)
    bytes.appendBigEndian32(byteCount)
    for block in writableBlocks { block.append(to: &bytes) }
  }
}

/// A receiver report: reception of others by a peer that sends no media (RFC 3550 §6.4.2).
package struct ReceiverReport: Hashable, Sendable {
  private static let fixedLength = 4

  package var ssrc: UInt32
  /// At most 31 are written.
  package var blocks: [ReportBlock]

  package init(ssrc: UInt32, blocks: [ReportBlock] = []) {
    self.ssrc = ssrc
    self.blocks = blocks
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    try body.require(Self.fixedLength)
    ssrc = bytes.bigEndian32(at: body.range.lowerBound)
    blocks = try ReportBlock.blocks(bytes, body, at: Self.fixedLength)
  }

  var writableBlocks: ArraySlice<ReportBlock> { blocks.prefix(ReportBlock.perReport) }

  func appendBody(to bytes: inout [UInt8]) {
    bytes.appendBigEndian32(ssrc)
    for block in writableBlocks { block.append(to: &bytes) }
  }
}

/// A receiver's report about one source (RFC 3550 §6.4.1).
package struct ReportBlock: Hashable, Sendable {
  /// Length on the wire in bytes.
  static let length = 24
  /// Maximum number of blocks per report: the count has five bits.
  static let perReport = 31

  /// The reported source.
  package var ssrc: UInt32
  /// Fraction of packets lost since the last report, in 1/256.
  package var fractionLost: UInt8
  /// Total number of packets lost, a signed 24-bit number: duplicates make it negative.
  package var cumulativeLost: Int32
  /// Highest sequence number received, with the number of wraps in the upper 16 bits.
  package var highestSequence: UInt32
  /// Interarrival jitter in timestamp ticks.
  package var jitter: UInt32
  /// Middle 32 bits of the last sender report's NTP time; 0 if none has arrived.
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

  /// Parses the block at `offset`; the caller has checked the length.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    ssrc = bytes.bigEndian32(at: offset)
    let loss = bytes.bigEndian32(at: offset &+ 4)
    fractionLost = UInt8(loss &>> 24)
    // Shifting up and down again extends the sign of the lower 24 bits.
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

  /// Parses `count` report blocks at `offset` of the body.
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
