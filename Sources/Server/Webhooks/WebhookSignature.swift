import Machines

/// The signature of a delivery, after the Standard Webhooks specification (standardwebhooks.com).
enum WebhookSignature {
  /// The value of `webhook-signature`: one `v1,<base64>` for each key, with blanks between.
  ///
  /// - Parameters:
  ///   - timestamp: seconds since 1970, of this attempt.
  static func header(id: String, timestamp: Int64, body: String, keys: [[UInt8]]) -> String {
    let signed = "\(id).\(timestamp).\(body)".utf8
    return keys.map { "v1," + Base64.standard.encode(HMAC.sha256(signed, key: $0)) }.joined(separator: " ")
  }
}
