import COpenSSL
import Machines

/// The secret shared with a TURN server, from which time-limited credentials are made
/// (draft-uberti-behave-turn-rest-00; coturn's `use-auth-secret`).
///
/// ```swift
/// RelaySecret(Secret("north")).credentials(for: "ada", at: now)   // username "1767268800:ada"
/// ```
package struct RelaySecret: Sendable, Hashable {
  /// A username and its password.
  package struct Credentials: Sendable, Hashable {
    package var username: String
    package var password: String

    package init(username: String, password: String) {
      self.username = username
      self.password = password
    }
  }

  /// Validity of credentials: the longest day in a studio. A server asks again for credentials while an allocation
  /// lasts, so they must outlive the take; a new join renews them.
  package static let lifetime: Int64 = 12 * 3_600

  private let key: Secret<String>

  package init(_ key: Secret<String>) {
    self.key = key
  }

  /// The credentials of a participant: "expiry:participant", and the HMAC-SHA1 of this in Base64.
  /// - Parameters:
  ///   - participant: identifies the user in the TURN server's log.
  ///   - seconds: the current time since 1970, in seconds.
  package func credentials(for participant: String, at seconds: Int64) -> Credentials {
    let (expiry, overflow) = seconds.addingReportingOverflow(RelaySecret.lifetime)
    let username = "\(overflow ? .max : expiry):\(participant)"
    return Credentials(username: username, password: Base64.standard.encode(code(of: username)))
  }

  /// HMAC-SHA1 (RFC 2104), which the draft prescribes; the known weaknesses of SHA-1 do not touch HMAC.
  private func code(of text: String) -> [UInt8] {
    let (key, message) = (Array(key.reveal().utf8), Array(text.utf8))
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    // It fails only if memory runs out; the password is then empty and the server refuses it.
    _ = HMAC(EVP_sha1(), key, Int32(clamping: key.count), message, message.count, &code, &length)
    return Array(code.prefix(Int(length)))
  }

  package static func == (one: RelaySecret, other: RelaySecret) -> Bool { one.key.reveal() == other.key.reveal() }
  package func hash(into hasher: inout Hasher) { hasher.combine(key.reveal()) }
}
