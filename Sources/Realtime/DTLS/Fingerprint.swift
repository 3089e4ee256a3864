import COpenSSL

/// A certificate fingerprint in the form of `a=fingerprint` (RFC 8122).
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

extension Fingerprint {
  /// The digest of an `X509 *`; nil if OpenSSL cannot compute it.
  init?(of certificate: OpaquePointer, algorithm: Algorithm) {
    let hash =
      switch algorithm {
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    var digest = [UInt8](repeating: 0, count: algorithm.length)
    var length: UInt32 = 0
    guard X509_digest(certificate, hash, &digest, &length) == 1, Int(length) == digest.count else { return nil }
    self.init(algorithm: algorithm, digest: digest)
  }

  /// True if both are equal; compares in constant time.
  func matches(_ other: Fingerprint) -> Bool {
    guard algorithm == other.algorithm, digest.count == algorithm.length, digest.count == other.digest.count else {
      return false
    }
    return CRYPTO_memcmp(digest, other.digest, digest.count) == 0
  }
}

extension Fingerprint {
  /// Parses the value of an `a=fingerprint` line, "sha-256 AB:CD:…" (RFC 8122 §5); nil if the hash function is
  /// unknown or too weak, or if the digest has the wrong length.
  ///
  /// Upper and lower case are equivalent in both parts.
  package init?(parsing text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count == 2, let algorithm = Algorithm(rawValue: words[0].lowercased()) else { return nil }
    let pairs = words[1].split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == algorithm.length else { return nil }
    var digest: [UInt8] = []
    digest.reserveCapacity(algorithm.length)
    for pair in pairs {
      // Two hexadecimal digits; `UInt8(_:radix:)` alone would accept "+A".
      guard pair.utf8.count == 2, pair.utf8.first != UInt8(ascii: "+"), let byte = UInt8(pair, radix: 16) else {
        return nil
      }
      digest.append(byte)
    }
    self.init(algorithm: algorithm, digest: digest)
  }
}
