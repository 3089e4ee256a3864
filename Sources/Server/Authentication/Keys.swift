import Machines

/// The service's credentials: a secret that signs join tokens, and keys for REST.
package struct Keys: Sendable {
  /// Shortest secret for HS256, in bytes (RFC 7518 section 3.2: as long as the hash).
  static let minimumSecretBytes = 32
  /// Shortest API key, in characters.
  static let minimumKeyLength = 16

  /// Signs and checks join tokens (JWT, HS256); nil disables joining by token.
  package let joinSecret: Secret<String>?
  /// API keys; each gives full access.
  package let apiKeys: [Secret<String>]

  /// - Throws: `ConfigurationProblem` if a secret is too short or there is none at all.
  package init(joinSecret: String?, apiKeys: [String]) throws(ConfigurationProblem) {
    guard joinSecret != nil || !apiKeys.isEmpty else {
      throw ConfigurationProblem("there are keys without a key; name a join secret, an API key, or both")
    }
    if let joinSecret, joinSecret.utf8.count < Keys.minimumSecretBytes {
      throw ConfigurationProblem(
        "the join secret has \(joinSecret.utf8.count) bytes; HS256 needs \(Keys.minimumSecretBytes): openssl rand -hex 32"
      )
    }
    for (index, key) in apiKeys.enumerated() {
      guard key.utf8.count >= Keys.minimumKeyLength, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw ConfigurationProblem(
          "API key \(index + 1) is invalid; it must have \(Keys.minimumKeyLength) printable ASCII characters or more, "
            + "without blanks: openssl rand -hex 32")
      }
    }
    self.joinSecret = joinSecret.map(Secret.init)
    self.apiKeys = apiKeys.map(Secret.init)
  }

  /// True if `shown` is one of the API keys; always compares with all of them.
  func holds(_ shown: String) -> Bool {
    apiKeys.reduce(false) { ConstantTime.equal(shown, $1.reveal()) || $0 }
  }
}
