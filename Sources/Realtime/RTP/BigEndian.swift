/// Writes in network byte order; callers reserve the whole length first, so that a packet needs one allocation.
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

/// Reads in network byte order; the caller has checked the length, and `Span` checks again.
extension Span where Element == UInt8 {
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset &+ 1])
  }

  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset &+ 2))
  }

  func bigEndian64(at offset: Int) -> UInt64 {
    UInt64(bigEndian32(at: offset)) << 32 | UInt64(bigEndian32(at: offset &+ 4))
  }

  /// A copy of `range`; the caller has checked the bounds.
  func array(_ range: Range<Int>) -> [UInt8] {
    [UInt8](capacity: range.count) { output in
      for index in range { output.append(self[index]) }
    }
  }
}
