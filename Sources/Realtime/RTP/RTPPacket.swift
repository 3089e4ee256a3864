/// A complete RTP packet with a parsed header and verified lengths.
package struct RTPPacket: Sendable, Hashable {
  package let bytes: [UInt8]
  package let header: RTPHeader

  /// Parses the packet without copying it; throws the errors of `RTPHeader`.
  package init(parsing bytes: [UInt8]) throws(RTPError) {
    header = try RTPHeader(parsing: bytes.span)
    self.bytes = bytes
  }

  /// The payload without padding; empty in a packet that only fills a sequence number.
  package var payload: ArraySlice<UInt8> { bytes[header.payloadRange] }

  /// The data of the header extension element `id` (RFC 8285); nil if absent.
  package func extensionElement(_ id: UInt8) -> ArraySlice<UInt8>? {
    guard let range = header.extensionElement(id, in: bytes.span) else { return nil }
    return bytes[range]
  }

  /// The sender's measurement of the audio level under the negotiated `id` (RFC 6464).
  package func audioLevel(_ id: UInt8) -> AudioLevel? {
    guard let byte = extensionElement(id)?.first else { return nil }
    return AudioLevel(byte: byte)
  }

  /// The capture time under the negotiated `id`.
  package func absoluteCaptureTime(_ id: UInt8) -> AbsoluteCaptureTime? {
    guard let range = header.extensionElement(id, in: bytes.span) else { return nil }
    return AbsoluteCaptureTime(parsing: bytes.span, at: range)
  }

  /// The media section's mid under the negotiated `id` (RFC 9143 §15).
  package func mid(_ id: UInt8) -> String? {
    guard let element = extensionElement(id) else { return nil }
    return String(validating: element, as: UTF8.self)
  }

  /// The contributing sources (RFC 3550 §5.1).
  package var contributors: [UInt32] {
    let span = bytes.span
    return (0..<header.contributorCount).map { span.bigEndian32(at: RTPHeader.fixedLength &+ 4 &* $0) }
  }
}

/// Writes RTP packets (RFC 3550 §5.1, RFC 8285), each with one allocation.
package struct RTPWriter: Sendable, Hashable {
  package var payloadType: UInt8
  package var marker: Bool
  package var sequenceNumber: UInt16
  package var timestamp: UInt32
  package var ssrc: UInt32

  /// Creates the fixed fields; of a payload type above 127, the low seven bits are kept.
  package init(payloadType: UInt8, marker: Bool = false, sequenceNumber: UInt16, timestamp: UInt32, ssrc: UInt32) {
    self.payloadType = payloadType & 0x7F
    self.marker = marker
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
  }

  /// Encodes a complete packet; elements with id 0 are left out, because 0 means padding.
  package func packet(extensions: [RTPHeaderExtension] = [], payload: some Collection<UInt8>) -> [UInt8] {
    let elements = ExtensionArea(extensions)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(RTPHeader.fixedLength &+ elements.length &+ payload.count)
    appendFixedPart(to: &bytes, hasExtension: elements.length > 0)
    elements.append(extensions, to: &bytes)
    bytes.append(contentsOf: payload)
    return bytes
  }

  /// Appends the twelve bytes at the start of every packet, without contributing sources and padding.
  func appendFixedPart(to bytes: inout [UInt8], hasExtension: Bool) {
    bytes.append(hasExtension ? 0x90 : 0x80)
    bytes.append(payloadType | (marker ? 0x80 : 0))
    bytes.appendBigEndian16(sequenceNumber)
    bytes.appendBigEndian32(timestamp)
    bytes.appendBigEndian32(ssrc)
  }
}

/// The reason why bytes are not an RTP packet or a RED payload, with the value found and the requirement.
package enum RTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The packet is shorter than its own fields announce.
  case truncated(length: Int, needed: Int)
  /// The version field is not 2 (RFC 3550 §5.1).
  case wrongVersion(UInt8)
  /// The padding count is zero or larger than what follows the header (RFC 3550 §5.1).
  case wrongPadding(count: Int, available: Int)
  /// A RED payload ends before its blocks do (RFC 2198 §3).
  case truncatedRedundancy(length: Int, needed: Int)
  /// A RED payload announces more blocks than `RedundantAudio.blockLimit`.
  case tooManyRedundantBlocks(limit: Int)
  /// A RED block cannot be written: longer than 1023 bytes or older than 16383 ticks (RFC 2198 §3).
  case unwritableRedundancy(length: Int, offset: UInt32)

  package var description: String {
    switch self {
    case .truncated(let length, let needed):
      "RTP packet of \(length) bytes is cut short: its header announces at least \(needed)"
    case .wrongVersion(let version):
      "RTP version is \(version): it must be 2"
    case .wrongPadding(let count, let available):
      "RTP padding of \(count) bytes: it must be 1 to \(available)"
    case .truncatedRedundancy(let length, let needed):
      "RED payload of \(length) bytes is cut short: its blocks need \(needed)"
    case .tooManyRedundantBlocks(let limit):
      "RED payload announces too many blocks: at most \(limit) are taken"
    case .unwritableRedundancy(let length, let offset):
      "RED block of \(length) bytes, \(offset) ticks old: at most 1023 bytes and 16383 ticks can be written"
    }
  }
}
