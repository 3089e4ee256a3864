// Arithmetic in this file is in range: a place lies in the bytes, and a number has one to eight octets.

/// A position in bytes from outside; reads past the end return nil.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var position: Int
  let end: Int

  /// Creates a reader of `bytes[start..<end]`, with both bounds clamped.
  init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = Swift.min(Swift.max(end ?? bytes.count, 0), bytes.count)
    position = Swift.min(Swift.max(start, 0), self.end)
  }

  /// Number of remaining bytes.
  var remaining: Int { end - position }

  /// The byte at `offset` from the position, which does not change.
  func peek(_ offset: Int = 0) -> UInt8? {
    guard offset >= 0, offset < remaining else { return nil }
    return bytes[position + offset]
  }

  mutating func u8() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads an unsigned big-endian number of at most 8 bytes.
  mutating func number(octets: Int) -> UInt64? {
    guard octets <= remaining else { return nil }
    var value: UInt64 = 0
    for index in position..<position + octets { value = value << 8 | UInt64(bytes[index]) }
    position += octets
    return value
  }

  mutating func u16() -> Int? { number(octets: 2).map { Int($0) } }

  mutating func u24() -> UInt32? { number(octets: 3).map { UInt32($0) } }

  mutating func u32() -> UInt32? { number(octets: 4).map { UInt32($0) } }

  mutating func double() -> Double? { number(octets: 8).map { Double(bitPattern: $0) } }

  /// Returns the next `count` bytes; nil if there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Returns all remaining bytes.
  mutating func rest() -> [UInt8] {
    defer { position = end }
    return Array(bytes[position..<end])
  }

  /// Reads text with a length prefix of two bytes; invalid UTF-8 becomes U+FFFD.
  mutating func text16() -> String? {
    guard let count = u16(), let text = take(count) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a reader of the next `count` bytes, and skips them in this one.
  mutating func part(_ count: Int) -> ByteReader? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return ByteReader(bytes, from: position, to: position + count)
  }

  /// Skips `count` bytes, at most to the end.
  mutating func skip(_ count: Int) {
    position += Swift.min(Swift.max(count, 0), remaining)
  }

  /// Moves to `position`, clamped between the current position and the end.
  mutating func advance(to position: Int) {
    skip(position - self.position)
  }
}

extension [UInt8] {
  /// Appends the low `octets` bytes of `value`, most significant first.
  mutating func append(_ value: UInt64, octets: Int) {
    for shift in stride(from: (octets - 1) * 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  mutating func append(_ value: UInt32, octets: Int) {
    append(UInt64(value), octets: octets)
  }

  mutating func append(double value: Double) {
    append(value.bitPattern, octets: 8)
  }

  /// Appends text with a length prefix of two bytes; text beyond 65,535 bytes is cut off.
  mutating func append(text16 text: String) {
    let bytes = text.utf8.prefix(Int(UInt16.max))
    append(UInt64(bytes.count), octets: 2)
    append(contentsOf: bytes)
  }
}
