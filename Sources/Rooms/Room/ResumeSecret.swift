/// The secret by which a musician takes their own seat back: 128 random bits as hexadecimal digits.
enum ResumeSecret {
  static func make() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Compares in a time that tells nothing of where the two differ.
  static func matches(_ shown: String, _ secret: String) -> Bool {
    let (left, right) = (Array(shown.utf8), Array(secret.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
