extension RTPHeader {
  /// The profile word of one-byte header extensions (RFC 8285 §4.2).
  static let oneByteProfile: UInt16 = 0xBEDE
  /// The profile word of two-byte header extensions, whose last four bits are free (RFC 8285 §4.3).
  static let twoByteProfile: UInt16 = 0x1000

  /// Where the data of the extension element `id` lies in the packet that this header was read from.
  ///
  /// Nil where the element is absent or the area is malformed: header extensions are hints, never a reason to drop.
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
        // RFC 8285 §4.2: id 15 ends the area; id 0 is a padding byte, whatever its length says.
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
