import COpenSSL
import Machines
import Signaling

/// JSON Web Tokens in compact form, signed only by HS256 (RFC 7515, RFC 7519, RFC 8725).
///
///     let text = JSONWebToken.sign(["room": "Cellar"], key: key)
///     let claims = JSONWebToken.verify(text, key: key)   // ["room": "Cellar"]
package enum JSONWebToken {
  /// Longest text to examine, in bytes; join tokens have about 250.
  static let maximumBytes = 4_096
  private static let header: JSONObject = ["alg": "HS256", "typ": "JWT"]

  package static func sign(_ claims: JSONObject, key: [UInt8]) -> String {
    let signed = [header, claims].map { Base64.url.encode(Array(JSONValue.object($0).text.utf8)) }
      .joined(separator: ".")
    return signed + "." + Base64.url.encode(HMAC.sha256(signed.utf8, key: key))
  }

  /// The claims of `text`; nil if it is malformed or not signed by `key`. The caller checks the expiry.
  package static func verify(_ text: String, key: [UInt8]) -> JSONObject? {
    guard text.utf8.count <= maximumBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let signature = Base64.url.decode(parts[2]),
      signature.count == HMAC.sha256Length,
      ConstantTime.equal(signature, HMAC.sha256(text[..<parts[1].endIndex].utf8, key: key)),
      let header = object(parts[0]),
      // The header must not choose how its own signature is checked (RFC 8725 section 3.1). Its critical extensions
      // would have to be understood (RFC 7515 section 4.1.11).
      header["alg"] == "HS256", header["crit"] == nil
    else { return nil }
    return object(parts[1])
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64.url.decode(part).flatMap { try? JSONValue(parsing: $0) }?.object
  }
}

/// Keyed hashes by OpenSSL (RFC 2104).
enum HMAC {
  /// Length of HMAC-SHA256, in bytes.
  static let sha256Length = 32

  /// HMAC-SHA256 of `message`.
  static func sha256(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] { code(EVP_sha256(), message, key) }

  /// HMAC-SHA1 of `message`, for older protocols; the known weaknesses of SHA-1 do not touch HMAC.
  static func sha1(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] { code(EVP_sha1(), message, key) }

  private static func code(_ hash: OpaquePointer?, _ message: some Sequence<UInt8>, _ key: [UInt8]) -> [UInt8] {
    let message = Array(message)
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // It fails only if memory runs out; the code is then empty.
    _ = COpenSSL.HMAC(hash, key, Int32(clamping: key.count), message, message.count, &code, &length)
    return Array(code.prefix(Int(length)))
  }
}

/// Comparisons whose duration does not reveal where two values differ.
enum ConstantTime {
  /// True if both have the same bytes; the duration depends only on the length of `shown`.
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
