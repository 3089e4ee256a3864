import COpenSSL

/// A running SHA-256 (FIPS 180-4) by OpenSSL.
package final class SHA256 {
  /// Bytes of the result.
  package static let length = 32

  private let context: OpaquePointer?

  /// Begins with nothing.
  package init() {
    context = EVP_MD_CTX_new()
    begin()
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Takes the next bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The hash of everything since the last call; begins anew.
  package func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: SHA256.length)
    EVP_DigestFinal_ex(context, &result, nil)
    begin()
    return result
  }

  /// The hash of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let sum = SHA256()
    bytes.withUnsafeBytes { sum.update($0) }
    return sum.finish()
  }

  private func begin() {
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }
}
