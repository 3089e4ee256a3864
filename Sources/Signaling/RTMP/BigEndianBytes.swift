extension [UInt8] {
  /// Appends the low `octets` bytes of `value`, the highest first.
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

  /// Appends text behind a length of two bytes; what is longer than 65,535 bytes is cut there.
  mutating func append(text16 text: String) {
    let bytes = text.utf8.prefix(Int(UInt16.max))
    append(UInt64(bytes.count), octets: 2)
    append(contentsOf: bytes)
  }
}
