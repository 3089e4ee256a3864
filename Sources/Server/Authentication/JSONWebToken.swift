import Machines
import Signaling

/// JSON Web Tokens in their compact form, signed by HS256 and by nothing else (RFC 7515, RFC 7519, RFC 8725).
///
///     let text = JSONWebToken.sign(["room": "Cellar"], key: key)
///     let claims = JSONWebToken.verify(text, key: key)   // ["room": "Cellar"]
enum JSONWebToken {
  /// Longest text that is looked at, in bytes; join tokens have about 250.
  static let maximumBytes = 4_096
  private static let header: JSONObject = ["alg": "HS256", "typ": "JWT"]

  static func sign(_ claims: JSONObject, key: [UInt8]) -> String {
    let signed = [header, claims].map { Base64.url.encode(Array(JSONValue.object($0).text.utf8)) }
      .joined(separator: ".")
    return signed + "." + Base64.url.encode(HMAC.sha256(signed.utf8, key: key))
  }

  /// The claims of `text`; nil where it is malformed, or not signed by `key`. Expiry is for the caller to look at.
  static func verify(_ text: String, key: [UInt8]) -> JSONObject? {
    guard text.utf8.count <= maximumBytes else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let signature = Base64.url.decode(parts[2]),
      signature.count == HMAC.sha256Length,
      ConstantTime.equal(signature, HMAC.sha256(text[..<parts[1].endIndex].utf8, key: key)),
      let header = object(parts[0]),
      // The header may not choose how its own signature is checked (RFC 8725 section 3.1), and what it calls critical
      // would have to be understood (RFC 7515 section 4.1.11).
      header["alg"] == "HS256", header["crit"] == nil
    else { return nil }
    return object(parts[1])
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64.url.decode(part).flatMap { try? JSONValue(parsing: $0) }?.object
  }
}
