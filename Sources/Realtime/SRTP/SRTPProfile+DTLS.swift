import COpenSSL

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
