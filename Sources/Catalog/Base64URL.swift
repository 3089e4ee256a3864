/// Base 64 with the alphabet for addresses and without padding (RFC 4648 section 5).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Writes `bytes`, whose count must be a multiple of three: then there is one spelling only.
  static func encode(_ bytes: [UInt8]) -> String {
    precondition(bytes.count % 3 == 0, "\(bytes.count) bytes have several spellings; choose a multiple of three")
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
      for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads what `encode` wrote; nil for anything else.
  static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3)
    for start in stride(from: 0, to: characters.count, by: 4) {
      var group: UInt32 = 0
      for character in characters[start..<start + 4] {
        guard let value = alphabet.firstIndex(of: character) else { return nil }
        group = group << 6 | UInt32(value)
      }
      for shift in [16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: group >> shift)) }
    }
    return bytes
  }
}
