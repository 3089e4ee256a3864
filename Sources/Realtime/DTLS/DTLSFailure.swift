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
