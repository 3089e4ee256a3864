import COpenSSL

/// Keyed hashes by OpenSSL (RFC 2104).
enum HMAC {
  /// Length of HMAC-SHA256, in bytes.
  static let sha256Length = 32

  /// HMAC-SHA256 of `message`.
  static func sha256(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    let message = Array(message)
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // It fails only where memory runs out, and then the code is empty.
    _ = COpenSSL.HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &code, &length)
    return Array(code.prefix(Int(length)))
  }
}
