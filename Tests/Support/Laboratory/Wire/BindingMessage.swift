import COpenSSL
import CZlib
import Realtime

/// Connectivity checks of ICE (RFC 8445) and their answers, signed with a password of the offer or the answer.
enum BindingMessage {
  private static let username: UInt16 = 0x0006
  private static let integrity: UInt16 = 0x0008
  private static let mappedAddress: UInt16 = 0x0020
  private static let priority: UInt16 = 0x0024
  private static let useCandidate: UInt16 = 0x0025
  private static let fingerprint: UInt16 = 0x8028
  private static let controlling: UInt16 = 0x802A

  /// A check by the controlling side that nominates its pair, of a peer-reflexive candidate (RFC 8445 section 5.1.2.1).
  static func check(
    from local: NegotiatedSession.ICECredentials, to remote: NegotiatedSession.ICECredentials, transaction: [UInt8]
  ) -> [UInt8] {
    let name = "\(remote.usernameFragment):\(local.usernameFragment)"
    return signed(
      STUNMessage(
        .bindingRequest, transaction: transaction,
        [
          .init(username, Array(name.utf8)), .init(priority, [110, 0xFF, 0xFF, 0xFF]), .init(useCandidate, []),
          .init(controlling, Array(transaction.prefix(8))),
        ]), with: remote.password)
  }

  /// The answer to the recorder's check, which came from `place`.
  static func answer(
    to request: STUNMessage, from place: STUNMessage.Place, password: String
  ) -> [UInt8] {
    let address = STUNMessage.peer(place, transaction: request.transaction).value
    return signed(
      STUNMessage(.bindingSuccess, transaction: request.transaction, [.init(mappedAddress, address)]), with: password)
  }

  /// HMAC-SHA1 with the password as its key, and a CRC-32 behind it (RFC 8489 sections 14.5 and 14.7). Each is computed
  /// over a header that counts it.
  private static func signed(_ message: STUNMessage, with password: String) -> [UInt8] {
    var bytes = message.bytes
    announce(24, in: &bytes)
    let key = Array(password.utf8)
    var code = [UInt8](repeating: 0, count: 20)
    var length: UInt32 = 0
    _ = HMAC(EVP_sha1(), key, Int32(key.count), bytes, bytes.count, &code, &length)
    append(integrity, code, to: &bytes)
    announce(8, in: &bytes)
    let sum = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count))) ^ 0x5354_554E
    append(fingerprint, [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }, to: &bytes)
    return bytes
  }

  private static func announce(_ further: Int, in bytes: inout [UInt8]) {
    let length = bytes.count - 20 + further
    (bytes[2], bytes[3]) = (UInt8(length >> 8), UInt8(length & 0xFF))
  }

  private static func append(_ kind: UInt16, _ value: [UInt8], to bytes: inout [UInt8]) {
    bytes += [UInt8(kind >> 8), UInt8(kind & 0xFF), 0, UInt8(value.count)] + value
  }
}
