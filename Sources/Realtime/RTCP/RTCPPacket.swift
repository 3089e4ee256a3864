/// One packet of an RTCP datagram (RFC 3550 §6, RFC 4585 §6, RFC 3611).
package enum RTCPPacket: Hashable, Sendable {
  case senderReport(SenderReport)
  case receiverReport(ReceiverReport)
  case sourceDescription(SourceDescription)
  case goodbye(Goodbye)
  case nack(GenericNack)
  case extendedReport(ExtendedReport)
  /// Anything else, kept as it came: payload-specific feedback, transport-wide feedback, APP, types yet to come.
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

  /// Appends the packet, header first.
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

  /// Writes header and body, pads the body to 32 bits and sets the length field from what was written.
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
