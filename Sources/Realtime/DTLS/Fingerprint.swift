/// A certificate fingerprint as `a=fingerprint` writes it (RFC 8122).
package struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
  /// The hash functions that are strong enough to bind a certificate.
  package enum Algorithm: String, Sendable, Hashable, CaseIterable {
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"

    /// Length of the digest in bytes.
    package var length: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }

  package var algorithm: Algorithm
  package var digest: [UInt8]

  package init(algorithm: Algorithm, digest: [UInt8]) {
    self.algorithm = algorithm
    self.digest = digest
  }

  /// "sha-256 AB:CD:…", the value of the SDP attribute.
  package var description: String {
    let digits = Array("0123456789ABCDEF")
    let pairs = digest.map { String([digits[Int($0 >> 4)], digits[Int($0 & 15)]]) }
    return algorithm.rawValue + " " + pairs.joined(separator: ":")
  }
}
