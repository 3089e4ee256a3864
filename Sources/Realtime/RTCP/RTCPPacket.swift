/// One packet of an RTCP datagram (RFC 3550 §6, RFC 4585 §6, RFC 3611).
package enum RTCPPacket: Hashable, Sendable {
  case senderReport(SenderReport)
  case receiverReport(ReceiverReport)
  case sourceDescription(SourceDescription)
  case goodbye(Goodbye)
  case nack(GenericNack)
  case extendedReport(ExtendedReport)
  /// Any other packet, kept unchanged: payload-specific feedback, transport-wide feedback, APP, future types.
  case unknown(UnknownRTCP)

  /// Payload types of RTCP.
  enum PayloadType {
    static let senderReport: UInt8 = 200
    static let receiverReport: UInt8 = 201
    static let sourceDescription: UInt8 = 202
    static let goodbye: UInt8 = 203
    static let transportFeedback: UInt8 = 205
    static let extendedReport: UInt8 = 207
  }

  /// The feedback format of a Generic NACK (RFC 4585 §6.2.1).
  static let genericNackFormat: UInt8 = 1

  /// Appends the encoded packet.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .senderReport(let report):
      Self.append(PayloadType.senderReport, count: report.writableBlocks.count, to: &bytes, body: report.appendBody)
    case .receiverReport(let report):
      Self.append(PayloadType.receiverReport, count: report.writableBlocks.count, to: &bytes, body: report.appendBody)
    case .sourceDescription(let description):
      Self.append(
        PayloadType.sourceDescription, count: description.writableChunks.count, to: &bytes,
        body: description.appendBody)
    case .goodbye(let goodbye):
      Self.append(PayloadType.goodbye, count: goodbye.writableSources.count, to: &bytes, body: goodbye.appendBody)
    case .nack(let nack):
      Self.append(
        PayloadType.transportFeedback, count: Int(Self.genericNackFormat), to: &bytes, body: nack.appendBody)
    case .extendedReport(let report):
      Self.append(PayloadType.extendedReport, count: 0, to: &bytes, body: report.appendBody)
    case .unknown(let other):
      Self.append(other.payloadType, count: Int(other.count), to: &bytes, body: other.appendBody)
    }
  }

  /// Appends header and body, pads the body to 32 bits and fills in the length field.
  private static func append(
    _ payloadType: UInt8, count: Int, to bytes: inout [UInt8], body: (inout [UInt8]) -> Void
  ) {
    let start = bytes.count
    bytes.append(0x80 | UInt8(truncatingIfNeeded: count) & 0x1F)
    bytes.append(payloadType)
    bytes.appendBigEndian16(0)
    body(&bytes)
    while (bytes.count &- start) % 4 != 0 { bytes.append(0) }
    let words = (bytes.count &- start) / 4 &- 1
    bytes[start &+ 2] = UInt8(truncatingIfNeeded: words &>> 8)
    bytes[start &+ 3] = UInt8(truncatingIfNeeded: words)
  }
}

/// Sources leaving the session (RFC 3550 §6.6).
package struct Goodbye: Hashable, Sendable {
  /// At most 31 are written.
  package var sources: [UInt32]
  package var reason: String?

  package init(sources: [UInt32], reason: String? = nil) {
    self.sources = sources
    self.reason = reason
  }

  init(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) {
    try body.require(body.count &* 4)
    sources = []
    sources.reserveCapacity(body.count)
    for index in 0..<body.count { sources.append(bytes.bigEndian32(at: body.range.lowerBound &+ index &* 4)) }
    let offset = body.count &* 4
    guard body.length > offset else { return }
    let length = Int(bytes[body.range.lowerBound &+ offset])
    try body.require(offset &+ 1 &+ length)
    guard length > 0 else { return }
    let start = body.range.lowerBound &+ offset &+ 1
    reason = String(decoding: bytes.array(start..<(start &+ length)), as: UTF8.self)
  }

  var writableSources: ArraySlice<UInt32> { sources.prefix(ReportBlock.perReport) }

  func appendBody(to bytes: inout [UInt8]) {
    for source in writableSources { bytes.appendBigEndian32(source) }
    guard let reason, !reason.isEmpty else { return }
    let text = reason.utf8.prefix(255)
    bytes.append(UInt8(truncatingIfNeeded: text.count))
    bytes.append(contentsOf: text)
  }
}

/// An RTCP packet that is not interpreted, kept complete for the journal and diagnostics.
package struct UnknownRTCP: Hashable, Sendable {
  package var payloadType: UInt8
  /// The five bits after the padding bit: a count or a feedback format.
  package var count: UInt8
  /// Everything after the four-byte header, without padding; whole 32-bit words.
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
