/// Base64 with padding (RFC 4648 section 4).
enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  /// The value of each letter, 0xFF for what is none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()
  private static let padding = UInt8(ascii: "=")

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let rest = min(3, bytes.count - index)
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | (place < rest ? UInt32(bytes[index + place]) : 0) }
      for place in 0..<4 {
        text.append(place <= rest ? letters[Int(group >> (18 - 6 * UInt32(place)) & 0x3F)] : padding)
      }
      index += rest
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for what is not base64 as `encode` writes it.
  static func decode(_ string: String) -> [UInt8]? {
    let text = Array(string.utf8)
    guard text.count % 4 == 0 else { return nil }
    let padded = text.suffix(2).reversed().prefix { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    for (index, letter) in text.dropLast(padded).enumerated() {
      let value = values[Int(letter)]
      guard value != 0xFF else { return nil }
      group = group << 6 | UInt32(value)
      if index % 4 == 3 {
        bytes.append(contentsOf: [UInt8(truncatingIfNeeded: group >> 16), UInt8(truncatingIfNeeded: group >> 8)])
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
    // Bits that belong to no byte must be zero: every value is written in one way only.
    switch padded {
    case 1:
      guard group & 0x03 == 0 else { return nil }
      bytes.append(contentsOf: [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)])
    case 2:
      guard group & 0x0F == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    default: break
    }
    return bytes
  }
}
