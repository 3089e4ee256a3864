/// Writes in network byte order; writers reserve the whole length first, so that a packet is one allocation.
extension [UInt8] {
  mutating func appendBigEndian16(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value &>> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  mutating func appendBigEndian32(_ value: UInt32) {
    appendBigEndian16(UInt16(truncatingIfNeeded: value &>> 16))
    appendBigEndian16(UInt16(truncatingIfNeeded: value))
  }

  mutating func appendBigEndian64(_ value: UInt64) {
    appendBigEndian32(UInt32(truncatingIfNeeded: value &>> 32))
    appendBigEndian32(UInt32(truncatingIfNeeded: value))
  }
}
