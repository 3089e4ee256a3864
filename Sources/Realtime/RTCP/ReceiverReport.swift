/// What one that sends no media hears of others (RFC 3550 §6.4.2).
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
