/// A 128-bit identifier that sorts by creation time (github.com/ulid/spec): 48 bits of Unix milliseconds and 80
/// random bits, written as 26 characters of Crockford's base 32.
package struct ULID: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a new identifier for the wall time `time`.
  package init(at time: WallTime, using generator: inout some RandomNumberGenerator) {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
    high = milliseconds << 16 | UInt64(UInt16.random(in: .min ... .max, using: &generator))
    low = UInt64.random(in: .min ... .max, using: &generator)
  }

  /// Creates a new identifier with the system's random numbers.
  package init(at time: WallTime) {
    var generator = SystemRandomNumberGenerator()
    self.init(at: time, using: &generator)
  }

  package static func < (left: ULID, right: ULID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension ULID: LosslessStringConvertible {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let length = 26

  /// Parses 26 characters of Crockford's base 32 (either case; I and L are 1, O is 0); nil for anything else.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == ULID.length else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      guard let digit = ULID.digit(byte) else { return nil }
      // 26 characters hold 130 bits, so the first may only use three of its five.
      if index == 0, digit > 7 { return nil }
      high = high << 5 | low >> 59
      low = low << 5 | UInt64(digit)
    }
    self.init(high: high, low: low)
  }

  package var description: String { String(unsafeUninitializedCapacity: ULID.length, initializingUTF8With: write) }

  /// Writes the 26 characters and returns their number.
  package func write(to characters: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var high = high
    var low = low
    for index in (0..<ULID.length).reversed() {
      characters[index] = ULID.alphabet[Int(low & 31)]
      low = low >> 5 | high << 59
      high >>= 5
    }
    return ULID.length
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let upper = byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte
    switch upper {
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    case UInt8(ascii: "O"): return 0
    default: return alphabet.firstIndex(of: upper).map(UInt8.init)
    }
  }
}
