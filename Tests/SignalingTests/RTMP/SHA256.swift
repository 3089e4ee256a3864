/// SHA-256 (FIPS 180-4) and its HMAC (RFC 2104), for the tests only: the service has OpenSSL.
enum SHA256 {
  private static let constants: [UInt32] = {
    // The fractions of the cube roots of the first 64 primes.
    var primes: [Int] = []
    var candidate = 2
    while primes.count < 64 {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { fraction(of: $0, power: 3) }
  }()

  private static let start: [UInt32] = [2, 3, 5, 7, 11, 13, 17, 19].map { fraction(of: $0, power: 2) }

  /// The first 32 bits behind the point of the root, by bisection in integers.
  private static func fraction(of number: Int, power: Int) -> UInt32 {
    var low: UInt64 = 0
    var high: UInt64 = 20 << 32
    while high - low > 1 {
      let middle = (low + high) / 2
      // (middle / 2^32)^power <= number, by 64-bit parts.
      var product: [UInt32] = [1]
      for _ in 0..<power {
        product = multiply(product, by: middle)
      }
      if isAtMost(product, number, shift: power) { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  private static func multiply(_ digits: [UInt32], by factor: UInt64) -> [UInt32] {
    var result = [UInt32](repeating: 0, count: digits.count + 2)
    for (position, digit) in digits.enumerated() {
      var carry: UInt64 = 0
      for (offset, part) in [factor & 0xFFFF_FFFF, factor >> 32].enumerated() {
        let sum = UInt64(digit) * part + UInt64(result[position + offset]) + carry
        result[position + offset] = UInt32(truncatingIfNeeded: sum)
        carry = sum >> 32
      }
      var rest = position + 2
      while carry > 0, rest < result.count {
        let sum = UInt64(result[rest]) + carry
        result[rest] = UInt32(truncatingIfNeeded: sum)
        carry = sum >> 32
        rest += 1
      }
    }
    return result
  }

  private static func isAtMost(_ digits: [UInt32], _ number: Int, shift: Int) -> Bool {
    // Behind the point are `shift` digits; what is before it is small here.
    digits.dropFirst(shift + 1).allSatisfy { $0 == 0 } && Int(digits[shift]) < number
  }

  static func hash(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    let bits = UInt64(message.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    var state = start
    for block in stride(from: 0, to: bytes.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[block + word * 4 + $1]) }
      }
      for index in 16..<64 {
        let (a, b) = (words[index - 15], words[index - 2])
        let first = turn(a, 7) ^ turn(a, 18) ^ (a >> 3)
        let second = turn(b, 17) ^ turn(b, 19) ^ (b >> 10)
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
      }
      var v = state
      for index in 0..<64 {
        let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
        let mixed = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)
        let first = v[7] &+ mixed &+ choice &+ constants[index] &+ words[index]
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
        let second = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) &+ majority
        v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
      }
      for index in 0..<8 { state[index] &+= v[index] }
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
  }

  static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var key = key.count > 64 ? hash(key) : key
    key += [UInt8](repeating: 0, count: 64 - key.count)
    return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + message))
  }

  private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }
}
