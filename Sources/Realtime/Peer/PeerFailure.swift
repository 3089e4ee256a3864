/// Why a peer session came to nothing.
package enum PeerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The peer's certificate is not the announced one: somebody else answered, nothing of it was taken.
  case fingerprintMismatch
  /// The DTLS handshake broke, in words.
  case handshake(String)
  /// The DTLS handshake was not finished in time.
  case timeout
  /// No SRTP profile in common.
  case noCommonProfile
  /// The agreed keys were refused by OpenSSL or libsrtp, in words; this is a fault of ours.
  case keying(String)

  init(_ failure: DTLSFailure) {
    switch failure {
    case .fingerprintMismatch: self = .fingerprintMismatch
    case .handshake(let reason): self = .handshake(reason)
    case .timeout: self = .timeout
    case .noCommonProfile: self = .noCommonProfile
    }
  }

  package var description: String {
    switch self {
    case .fingerprintMismatch: DTLSFailure.fingerprintMismatch.description
    case .handshake(let reason): DTLSFailure.handshake(reason).description
    case .timeout: DTLSFailure.timeout.description
    case .noCommonProfile: DTLSFailure.noCommonProfile.description
    case .keying(let reason): "the agreed SRTP keys could not be used: \(reason)"
    }
  }
}
