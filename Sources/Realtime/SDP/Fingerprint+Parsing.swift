extension Fingerprint {
  /// Reads the value of an `a=fingerprint` line, "sha-256 AB:CD:…" (RFC 8122 §5); nil where the hash function is
  /// unknown or too weak, or where the digest has not its length.
  ///
  /// Case does not count, neither of the name nor of the digits.
  package init?(parsing text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count == 2, let algorithm = Algorithm(rawValue: words[0].lowercased()) else { return nil }
    let pairs = words[1].split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == algorithm.length else { return nil }
    var digest: [UInt8] = []
    digest.reserveCapacity(algorithm.length)
    for pair in pairs {
      // Two hexadecimal digits; `UInt8(_:radix:)` alone would take "+A".
      guard pair.utf8.count == 2, pair.utf8.first != UInt8(ascii: "+"), let byte = UInt8(pair, radix: 16) else {
        return nil
      }
      digest.append(byte)
    }
    self.init(algorithm: algorithm, digest: digest)
  }
}
