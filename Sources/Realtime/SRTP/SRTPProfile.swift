import COpenSSL

/// An SRTP protection profile (RFC 5764 §4.1.2, RFC 7714 §14.2).
package enum SRTPProfile: String, Sendable, Hashable, CaseIterable {
  /// AES-128 in Galois/counter mode, 16-byte tag: a single pass over the packet, our first choice.
  case aeadAES128GCM = "SRTP_AEAD_AES_128_GCM"
  /// AES-128 counter mode with HMAC-SHA1, 10-byte tag: mandatory for WebRTC (RFC 8827 §6.5).
  case aes128CMSHA180 = "SRTP_AES128_CM_SHA1_80"

  /// Length of the master key in bytes.
  package var keyLength: Int { 16 }

  /// Length of the master salt in bytes.
  package var saltLength: Int {
    switch self {
    case .aeadAES128GCM: 12
    case .aes128CMSHA180: 14
    }
  }

  /// Length of the authentication tag of an RTP packet, in bytes.
  package var tagLength: Int {
    switch self {
    case .aeadAES128GCM: 16
    case .aes128CMSHA180: 10
    }
  }
}

extension SRTPProfile {
  /// The profile with this number in the `use_srtp` extension.
  init?(dtlsIdentifier: UInt) {
    switch Int32(truncatingIfNeeded: dtlsIdentifier) {
    case SRTP_AEAD_AES_128_GCM: self = .aeadAES128GCM
    case SRTP_AES128_CM_SHA1_80: self = .aes128CMSHA180
    default: return nil
    }
  }
}
