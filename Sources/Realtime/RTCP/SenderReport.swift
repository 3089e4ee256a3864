/// A sender's clock, counts and what it hears of others (RFC 3550 §6.4.1).
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
