import COpenSSL

extension Fingerprint {
  /// The digest of an `X509 *`, or nil when OpenSSL cannot compute it.
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

  /// True where both name the same certificate; takes the same time wherever the first difference lies.
  func matches(_ other: Fingerprint) -> Bool {
    guard algorithm == other.algorithm, digest.count == algorithm.length, digest.count == other.digest.count else {
      return false
    }
    return CRYPTO_memcmp(digest, other.digest, digest.count) == 0
  }
}
