/// An RTCP packet that we do not read, kept whole so that the journal and diagnostics lose nothing.
package struct UnknownRTCP: Hashable, Sendable {
  package var payloadType: UInt8
  /// The five bits after the padding bit: a count or a feedback format.
  package var count: UInt8
  /// What follows the four-byte header, without padding; whole 32-bit words.
  package var body: [UInt8]

  package init(payloadType: UInt8, count: UInt8, body: [UInt8]) {
    self.payloadType = payloadType
    self.count = count & 0x1F
    self.body = body
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) {
    payloadType = body.payloadType
    count = UInt8(truncatingIfNeeded: body.count)
    self.body = bytes.array(body.range)
  }

  func appendBody(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: body)
  }
}
