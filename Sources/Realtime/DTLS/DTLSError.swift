import COpenSSL

/// The reason why OpenSSL could not be set up on our side; no input from a peer can cause it.
package struct DTLSError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The step that failed.
  package var step: String
  /// OpenSSL's description.
  package var reason: String

  package var description: String { "\(step) failed: \(reason)" }

  /// Takes the reason from this thread's OpenSSL error queue and empties it.
  static func take(step: String) -> DTLSError {
    DTLSError(step: step, reason: takeReason())
  }

  /// Returns a description of the newest entry in this thread's OpenSSL error queue and clears the queue, so that an
  /// old error is never mistaken for a new one.
  static func takeReason() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: text)
  }
}

/// The reason why a DTLS session failed.
package enum DTLSFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The peer's certificate matches none of the announced fingerprints (RFC 8122 §6.2).
  case fingerprintMismatch
  /// The handshake failed, with OpenSSL's description.
  case handshake(String)
  /// The handshake timed out.
  case timeout
  /// The two sides have no SRTP profile in common (`use_srtp`, RFC 5764 §4.1).
  case noCommonProfile

  package var description: String {
    switch self {
    case .fingerprintMismatch:
      "the peer's DTLS certificate has none of the fingerprints that its session description announced"
    case .handshake(let reason): "the DTLS handshake failed: \(reason)"
    case .timeout: "the DTLS handshake timed out"
    case .noCommonProfile:
      "the peer accepts neither SRTP_AEAD_AES_128_GCM nor SRTP_AES128_CM_SHA1_80, one of which is required"
    }
  }
}
