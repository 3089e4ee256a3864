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
