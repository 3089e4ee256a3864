import COpenSSL
import CZlib

/// Signatures and checksums of messages (RFC 8489 sections 14.5 and 14.7).
extension STUNMessage {
  /// An attribute's head, and the SHA-1 in it.
  private static let integrityLength = 24
  private static let fingerprintLength = 8
  /// "STUN": what a fingerprint is mixed with, so that it is no other protocol's checksum.
  private static let fingerprintMask: UInt32 = 0x5354_554E

  /// The message with `MESSAGE-INTEGRITY` as its last attribute.
  func signed(with key: [UInt8]) -> STUNMessage {
    var message = self
    // The signature covers a header that counts the signature itself.
    let text = written(announcing: STUNMessage.integrityLength)
    message.attributes.append(Attribute(AttributeKind.integrity, STUNMessage.signature(of: text, with: key)))
    return message
  }

  /// The message with `FINGERPRINT` as its last attribute, which an ICE agent tells it from media by.
  func fingerprinted() -> STUNMessage {
    var message = self
    var value: [UInt8] = []
    value.appendBigEndian32(STUNMessage.fingerprint(of: written(announcing: STUNMessage.fingerprintLength)))
    message.attributes.append(Attribute(AttributeKind.fingerprint, value))
    return message
  }

  /// That of a message up to the attribute, whose header counts it.
  static func fingerprint(of text: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_z(0, text, text.count)) ^ fingerprintMask
  }

  /// True for one whole message whose `MESSAGE-INTEGRITY` was made with `key`.
  static func isSigned(_ bytes: [UInt8], with key: [UInt8]) -> Bool {
    guard let message = try? STUNMessage(parsing: bytes),
      let place = message.attributes.firstIndex(where: { $0.kind == AttributeKind.integrity })
    else { return false }
    // Padding may have any value (RFC 8489 section 14), so the bytes themselves are signed.
    let end = message.attributes[..<place].reduce(headerLength) { $0 &+ 4 &+ ($1.value.count &+ 3) & ~3 }
    var text = Array(bytes.prefix(end))
    let announced = UInt16(clamping: end &- headerLength &+ integrityLength)
    text[2] = UInt8(announced &>> 8)
    text[3] = UInt8(truncatingIfNeeded: announced)
    let (expected, found) = (signature(of: text, with: key), message.attributes[place].value)
    return expected.count == found.count && CRYPTO_memcmp(expected, found, expected.count) == 0
  }

  /// HMAC-SHA1.
  private static func signature(of text: [UInt8], with key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // Fails only if memory runs out; the other end then refuses the signature.
    _ = HMAC(EVP_sha1(), key, Int32(clamping: key.count), text, text.count, &code, &length)
    return Array(code.prefix(Int(length)))
  }
}
