/// Comparisons whose duration tells nothing of where two texts differ.
enum ConstantTime {
  /// True where both are the same bytes; only the length of `shown` decides how long it takes.
  static func equal(_ shown: String, _ secret: String) -> Bool {
    let left = Array(shown.utf8)
    let right = Array(secret.utf8)
    var difference = left.count ^ right.count
    for (index, byte) in left.enumerated() {
      // An index past the secret's end reads its first byte again: the lengths differ already.
      let other = index < right.count ? right[index] : right.first ?? 0
      difference |= Int(byte ^ other)
    }
    return difference == 0
  }
}
