import Music

/// Little-endian numbers and counted texts, appended to a body.
struct JournalSink {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A number that may be absent: one byte, 255 for none (payload types and extension ids are smaller).
  mutating func append(optional value: UInt8?) {
    bytes.append(value ?? JournalSink.absent)
  }

  /// 16 bytes in the order of the ULID specification (most significant first).
  mutating func append(_ ulid: ULID) {
    withUnsafeBytes(of: ulid.high.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: ulid.low.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Two bytes of length, then UTF-8; a text over `JournalFormat.maximumText` is cut at a character.
  mutating func append(_ text: String) {
    var utf8 = Array(text.utf8)
    if utf8.count > JournalFormat.maximumText {
      var end = JournalFormat.maximumText
      // Continuation bytes are 10xxxxxx: step back to the scalar's first byte, which falls away with the rest.
      while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
      utf8.removeSubrange(end...)
    }
    append(UInt16(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  /// One byte that says whether there is a text, then the text.
  mutating func append(optional text: String?) {
    append(UInt8(text == nil ? 0 : 1))
    if let text { append(text) }
  }

  static let absent: UInt8 = 255
}
