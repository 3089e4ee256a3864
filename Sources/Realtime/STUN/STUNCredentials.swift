import COpenSSL

/// A user of a TURN server, and what the server said to prove itself with (RFC 8489 section 9.2).
package struct STUNCredentials: Hashable, Sendable {
  package var user: RelaySecret.Credentials
  package var realm: [UInt8]
  package var nonce: [UInt8]

  package init(_ user: RelaySecret.Credentials, realm: [UInt8], nonce: [UInt8]) {
    self.user = user
    self.realm = realm
    self.nonce = nonce
  }

  /// The bytes of a request that names the user and is signed with the password.
  package func sign(_ message: STUNMessage) -> [UInt8] {
    var message = message
    message.attributes += [
      .init(STUNMessage.AttributeKind.username, Array(user.username.utf8)),
      .init(STUNMessage.AttributeKind.nonce, nonce), .init(STUNMessage.AttributeKind.realm, realm),
    ]
    return message.signed(with: key).bytes
  }

  /// The MD5 of user, realm and password, which RFC 8489 prescribes for servers of RFC 5389 too.
  private var key: [UInt8] {
    let secret = Array(user.username.utf8) + [0x3A] + realm + [0x3A] + Array(user.password.utf8)
    var key = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // Fails only if memory runs out; the server then refuses the signature.
    _ = EVP_Digest(secret, secret.count, &key, &length, EVP_md5(), nil)
    return Array(key.prefix(Int(length)))
  }
}
