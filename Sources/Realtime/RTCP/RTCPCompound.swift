/// An RTCP datagram: consecutive packets (RFC 3550 §6.1), or reduced-size (RFC 5506).
package enum RTCPCompound {
  /// Length of each packet's header in bytes.
  static let headerLength = 4

  /// Parses all packets of a datagram.
  ///
  /// Any order is accepted, because reduced-size RTCP need not begin with a report. Throws `RTCPError` if a length is
  /// wrong; packets of other types are kept as `.unknown`.
  package static func parse(_ bytes: [UInt8]) throws(RTCPError) -> [RTCPPacket] {
    try parse(bytes.span)
  }

  package static func parse(_ bytes: Span<UInt8>) throws(RTCPError) -> [RTCPPacket] {
    guard bytes.count >= headerLength else { throw .empty(length: bytes.count) }
    var packets: [RTCPPacket] = []
    var offset = 0
    while offset < bytes.count {
      let (body, end) = try body(bytes, at: offset)
      packets.append(try packet(bytes, body))
      offset = end
    }
    return packets
  }

  /// Encodes `packets` in this order.
  package static func write(_ packets: [RTCPPacket]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    for packet in packets { packet.append(to: &bytes) }
    return bytes
  }

  private static func body(_ bytes: Span<UInt8>, at offset: Int) throws(RTCPError) -> (RTCPBody, end: Int) {
    let available = bytes.count &- offset
    guard available >= headerLength else {
      throw .truncated(offset: offset, needed: headerLength, available: available)
    }
    let first = bytes[offset]
    guard first &>> 6 == 2 else { throw .wrongVersion(first &>> 6, offset: offset) }
    let length = headerLength &+ 4 &* Int(bytes.bigEndian16(at: offset &+ 2))
    guard length <= available else { throw .truncated(offset: offset, needed: length, available: available) }
    let end = offset &+ length
    var contentEnd = end
    if first & 0x20 != 0 {
      let padding = Int(bytes[end &- 1])
      guard end == bytes.count, padding > 0, padding % 4 == 0, padding <= length &- headerLength else {
        throw .wrongPadding(offset: offset)
      }
      contentEnd = end &- padding
    }
    let body = RTCPBody(
      payloadType: bytes[offset &+ 1], count: Int(first & 0x1F), packetOffset: offset,
      range: (offset &+ headerLength)..<contentEnd)
    return (body, end)
  }

  private static func packet(_ bytes: Span<UInt8>, _ body: RTCPBody) throws(RTCPError) -> RTCPPacket {
    switch body.payloadType {
    case RTCPPacket.PayloadType.senderReport: .senderReport(try SenderReport(bytes, body))
    case RTCPPacket.PayloadType.receiverReport: .receiverReport(try ReceiverReport(bytes, body))
    case RTCPPacket.PayloadType.sourceDescription: .sourceDescription(try SourceDescription(bytes, body))
    case RTCPPacket.PayloadType.goodbye: .goodbye(try Goodbye(bytes, body))
    case RTCPPacket.PayloadType.transportFeedback where body.count == Int(RTCPPacket.genericNackFormat):
      .nack(try GenericNack(bytes, body))
    case RTCPPacket.PayloadType.extendedReport: .extendedReport(try ExtendedReport(bytes, body))
    default: .unknown(UnknownRTCP(bytes, body))
    }
  }
}

/// The body of one packet inside a datagram: reads are relative to it, and callers check lengths first.
struct RTCPBody {
  let payloadType: UInt8
  /// The five bits that contain a count in reports and a format in feedback.
  let count: Int
  /// Offset of the packet's header in the datagram, for errors.
  let packetOffset: Int
  /// Position of the body in the datagram, without padding.
  let range: Range<Int>

  var length: Int { range.count }

  /// Throws `RTCPError.shortBody` unless the body has at least `needed` bytes.
  func require(_ needed: Int) throws(RTCPError) {
    guard length >= needed else {
      throw .shortBody(payloadType: payloadType, offset: packetOffset, needed: needed, available: length)
    }
  }
}

/// The reason why bytes are not valid RTCP, with the value found, its position and the requirement.
package enum RTCPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The datagram contains no complete packet header.
  case empty(length: Int)
  /// The version field of the packet at `offset` is not 2 (RFC 3550 §6.4.1).
  case wrongVersion(UInt8, offset: Int)
  /// The packet at `offset` announces more bytes than remain.
  case truncated(offset: Int, needed: Int, available: Int)
  /// The padding count is not from 4 to the body's length, or a packet other than the last is padded.
  case wrongPadding(offset: Int)
  /// The body of the packet at `offset` is too short for its type or count.
  case shortBody(payloadType: UInt8, offset: Int, needed: Int, available: Int)

  package var description: String {
    switch self {
    case .empty(let length):
      "RTCP datagram of \(length) bytes: it must hold at least one packet of 4 bytes"
    case .wrongVersion(let version, let offset):
      "RTCP version is \(version) at byte \(offset): it must be 2"
    case .truncated(let offset, let needed, let available):
      "RTCP packet at byte \(offset) announces \(needed) bytes: \(available) are left"
    case .wrongPadding(let offset):
      "RTCP padding at byte \(offset): only the last packet may pad, by a multiple of 4 within its body"
    case .shortBody(let type, let offset, let needed, let available):
      "RTCP packet type \(type) at byte \(offset) needs a body of \(needed) bytes: it has \(available)"
    }
  }
}
