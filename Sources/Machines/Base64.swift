/// Base64 in one of its two alphabets (RFC 4648). Every byte sequence has one encoding; `decode` refuses any other.
///
///     Base64.url.encode([0xFB, 0xFF])   // "-_8"
///     Base64.standard.decode("+/8=")    // [0xFB, 0xFF]
package struct Base64: Sendable {
  /// With "+" and "/", padded with "=" (RFC 4648 section 4).
  package static let standard = Base64(last: "+/", isPadded: true)
  /// For addresses and file names: with "-" and "_", and no padding (RFC 4648 section 5).
  package static let url = Base64(last: "-_", isPadded: false)

  private static let padding = UInt8(ascii: "=")
  /// Marks characters outside the alphabet in `values`.
  private static let none: UInt8 = 0xFF

  private let letters: [UInt8]
  /// The value of each character.
  private let values: [UInt8]
  private let isPadded: Bool

  private init(last: String, isPadded: Bool) {
    self.isPadded = isPadded
    letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
    var values = [UInt8](repeating: Base64.none, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
    self.values = values
  }

  package func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let rest = min(3, bytes.count - start)
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | (place < rest ? UInt32(bytes[start + place]) : 0) }
      for place in 0...rest { text.append(letters[Int(group >> (18 - 6 * UInt32(place)) & 0x3F)]) }
      if isPadded, rest < 3 { text.append(contentsOf: repeatElement(Base64.padding, count: 3 - rest)) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes `text`; nil unless `encode` could have produced it.
  package func decode(_ text: some StringProtocol) -> [UInt8]? {
    var letters = Array(text.utf8)
    if isPadded {
      guard letters.count % 4 == 0 else { return nil }
      for _ in 0..<2 where letters.last == Base64.padding { letters.removeLast() }
    }
    guard letters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count / 4 * 3 + 2)
    var group: UInt32 = 0
    var bits = 0
    for letter in letters {
      let value = values[Int(letter)]
      guard value != Base64.none else { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
      group &= 1 << UInt32(bits) - 1
    }
    // In the only valid encoding, unused bits are zero.
    return group == 0 ? bytes : nil
  }
}
