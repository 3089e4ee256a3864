import COpenSSL

/// Why OpenSSL could not be set up on our own side; nothing that a peer sends leads here.
package struct DTLSError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What we were about to do.
  package var step: String
  /// OpenSSL's own words.
  package var reason: String

  package var description: String { "\(step) failed: \(reason)" }

  /// Takes the reason from this thread's OpenSSL error queue and empties it.
  static func take(step: String) -> DTLSError {
    DTLSError(step: step, reason: takeReason())
  }

  /// The newest entry of this thread's OpenSSL error queue in words; the queue is empty afterwards, so that an old
  /// error is never taken for a new one.
  static func takeReason() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: text)
  }
}

/// Why a DTLS session came to nothing.
package enum DTLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The certificate that came is none of those that the other side's description announced (RFC 8122 §6.2).
  case fingerprintMismatch
  /// The handshake broke; OpenSSL's words.
  case handshake(String)
  /// The handshake was not finished in time.
  case timeout
  /// Both sides speak DTLS, but have no SRTP profile in common (`use_srtp`, RFC 5764 §4.1).
  case noCommonProfile

  package var description: String {
    switch self {
    case .fingerprintMismatch:
      "the peer's DTLS certificate has none of the fingerprints that its session description announced"
    case .handshake(let reason): "the DTLS handshake broke: \(reason)"
    case .timeout: "the DTLS handshake was not finished in time"
    case .noCommonProfile:
      "the peer accepts neither SRTP_AEAD_AES_128_GCM nor SRTP_AES128_CM_SHA1_80, and one of them is needed"
    }
  }
}
