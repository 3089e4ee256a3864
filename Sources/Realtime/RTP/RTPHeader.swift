/// The header of an RTP packet (RFC 3550 §5.1): its fields and the ranges of the other parts, without storage.
package struct RTPHeader: Hashable, Sendable {
  /// Length of the fixed part in bytes.
  package static let fixedLength = 12

  package let marker: Bool
  package let payloadType: UInt8
  package let sequenceNumber: UInt16
  /// Media time in ticks of the payload's clock (48 kHz for Opus).
  package let timestamp: UInt32
  package let ssrc: UInt32
  /// Number of contributing sources, 0...15.
  package let contributorCount: Int
  /// The "defined by profile" word of the header extension: 0xBEDE is one-byte, 0x100x two-byte (RFC 8285).
  package let extensionProfile: UInt16
  /// Range of the extension elements in the packet; empty without an extension.
  package let extensionRange: Range<Int>
  /// Range of the payload without padding; empty for a padding-only packet, which is legal.
  package let payloadRange: Range<Int>

  /// Parses a header and checks all its lengths against the packet's.
  ///
  /// Throws `RTPError` unless the bytes are complete RTP version 2.
  package init(parsing bytes: Span<UInt8>) throws(RTPError) {
    let length = bytes.count
    guard length >= Self.fixedLength else { throw .truncated(length: length, needed: Self.fixedLength) }
    let first = bytes[0]
    guard first &>> 6 == 2 else { throw .wrongVersion(first &>> 6) }
    let second = bytes[1]
    marker = second & 0x80 != 0
    payloadType = second & 0x7F
    sequenceNumber = bytes.bigEndian16(at: 2)
    timestamp = bytes.bigEndian32(at: 4)
    ssrc = bytes.bigEndian32(at: 8)
    contributorCount = Int(first & 0x0F)

    var offset = Self.fixedLength &+ 4 &* contributorCount
    guard length >= offset else { throw .truncated(length: length, needed: offset) }
    if first & 0x10 != 0 {
      guard length >= offset &+ 4 else { throw .truncated(length: length, needed: offset &+ 4) }
      extensionProfile = bytes.bigEndian16(at: offset)
      let start = offset &+ 4
      offset = start &+ 4 &* Int(bytes.bigEndian16(at: offset &+ 2))
      guard length >= offset else { throw .truncated(length: length, needed: offset) }
      extensionRange = start..<offset
    } else {
      extensionProfile = 0
      extensionRange = offset..<offset
    }

    var end = length
    if first & 0x20 != 0 {
      let padding = Int(bytes[length &- 1])
      let available = length &- offset
      guard padding > 0, padding <= available else { throw .wrongPadding(count: padding, available: available) }
      end = length &- padding
    }
    payloadRange = offset..<end
  }
}

extension RTPHeader {
  /// The profile word of one-byte header extensions (RFC 8285 §4.2).
  static let oneByteProfile: UInt16 = 0xBEDE
  /// The profile word of two-byte header extensions, whose last four bits are arbitrary (RFC 8285 §4.3).
  static let twoByteProfile: UInt16 = 0x1000

  /// The range of the data of extension element `id` in the packet from which this header was parsed.
  ///
  /// Nil if the element is absent or the extension malformed: header extensions are hints, never a reason to drop a
  /// packet.
  package func extensionElement(_ id: UInt8, in bytes: Span<UInt8>) -> Range<Int>? {
    guard id > 0, !extensionRange.isEmpty, extensionRange.upperBound <= bytes.count else { return nil }
    let isOneByte = extensionProfile == Self.oneByteProfile
    guard isOneByte || extensionProfile & 0xFFF0 == Self.twoByteProfile else { return nil }

    var offset = extensionRange.lowerBound
    let end = extensionRange.upperBound
    while offset < end {
      let found: UInt8
      let length: Int
      if isOneByte {
        found = bytes[offset] &>> 4
        // RFC 8285 §4.2: id 15 ends the extension; id 0 is a padding byte, whatever its length field.
        if found == 15 { return nil }
        length = Int(bytes[offset] & 0x0F) &+ 1
      } else {
        found = bytes[offset]
        if found == 0 {
          length = 0
        } else {
          guard offset &+ 1 < end else { return nil }
          offset &+= 1
          length = Int(bytes[offset])
        }
      }
      offset &+= 1
      if found == 0 { continue }
      guard offset &+ length <= end else { return nil }
      if found == id { return offset..<(offset &+ length) }
      offset &+= length
    }
    return nil
  }
}
