/// Comparisons whose duration tells nothing of where two values differ.
enum ConstantTime {
  /// True where both are the same bytes; only the length of `shown` decides how long it takes.
  static func equal(_ shown: String, _ secret: String) -> Bool {
    equal(Array(shown.utf8), Array(secret.utf8))
  }

  static func equal(_ shown: [UInt8], _ secret: [UInt8]) -> Bool {
    var difference = shown.count ^ secret.count
    for (index, byte) in shown.enumerated() {
      // An index past the secret's end reads its first byte again: the lengths differ already.
      let other = index < secret.count ? secret[index] : secret.first ?? 0
      difference |= Int(byte ^ other)
    }
    return difference == 0
  }
}
