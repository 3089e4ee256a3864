import Realtime
import Testing

@Suite struct FingerprintParsingTests {
  static let pairs = (0..<32).map { _ in "0a" }.joined(separator: ":")

  @Test func readsWhatItWrites() {
    for algorithm in Fingerprint.Algorithm.allCases {
      let digest = (0..<algorithm.length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let fingerprint = Fingerprint(algorithm: algorithm, digest: digest)
      #expect(Fingerprint(parsing: fingerprint.description) == fingerprint)
    }
  }

  @Test func caseDoesNotCount() {
    let small = Fingerprint(parsing: "sha-256 " + Self.pairs)
    #expect(small != nil)
    #expect(small == Fingerprint(parsing: "SHA-256 " + Self.pairs.uppercased()))
  }

  /// Interpolated: the compiler takes twelve seconds for a list of sums of strings.
  private static let refused: [String] = [
    "", "sha-256", "sha-1 \(Array(repeating: "AB", count: 20).joined(separator: ":"))", "md5 AA", "sha-256 \(pairs):",
    "sha-256 \(pairs):AA", "sha-256 \(pairs.dropLast(3))", "sha-256 +\(pairs.dropFirst())",
    "sha-256 0g\(pairs.dropFirst(2))", "sha-256 \(pairs) x", "sha-384 \(pairs)",
  ]

  @Test(arguments: refused)
  func refusesWhatIsWeakOrMalformed(text: String) {
    #expect(Fingerprint(parsing: text) == nil)
  }
}
