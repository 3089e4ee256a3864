import Foundation
import Recording

/// The signature of a delivery, after the Standard Webhooks specification (standardwebhooks.com).
enum WebhookSignature {
  /// Bytes that SHA-256 takes at a time.
  private static let blockLength = 64

  /// The value of `webhook-signature`: one `v1,<base64>` for each key, with blanks between.
  ///
  /// - Parameters:
  ///   - timestamp: seconds since 1970, of this attempt.
  static func header(id: String, timestamp: Int64, body: String, keys: [[UInt8]]) -> String {
    let signed = Array("\(id).\(timestamp).\(body)".utf8)
    return keys.map { "v1," + Data(code(signed, key: $0)).base64EncodedString() }.joined(separator: " ")
  }

  /// HMAC-SHA256 (RFC 2104).
  static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockLength ? SHA256.hash(key) : key
    block += [UInt8](repeating: 0, count: blockLength - block.count)
    let inner = SHA256.hash(block.map { $0 ^ 0x36 } + message)
    return SHA256.hash(block.map { $0 ^ 0x5C } + inner)
  }
}
