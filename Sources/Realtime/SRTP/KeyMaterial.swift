import COpenSSL

/// Master key and master salt of one direction, in memory of its own that is overwritten when the value ends.
package struct KeyMaterial: ~Copyable {
  package let profile: SRTPProfile
  /// Key, then salt, as libsrtp and the `inline:` parameter of SDES (RFC 4568 §6.1) order them.
  let bytes: UnsafeMutableRawBufferPointer

  /// Copies key and salt out of an SDES line or a test. Nil when the length is not `keyLength + saltLength` of the
  /// profile: 28 bytes for AEAD_AES_128_GCM, 30 for AES128_CM_SHA1_80.
  package init?(profile: SRTPProfile, keyAndSalt: [UInt8]) {
    guard keyAndSalt.count == profile.keyLength + profile.saltLength else { return nil }
    self.init(profile: profile)
    bytes.copyBytes(from: keyAndSalt)
  }

  /// Takes key and salt from two places of one block; the caller has checked that both lie inside it.
  init(profile: SRTPProfile, key: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer) {
    precondition(key.count == profile.keyLength && salt.count == profile.saltLength, "key or salt has a wrong length")
    self.init(profile: profile)
    bytes.copyBytes(from: key)
    UnsafeMutableRawBufferPointer(rebasing: bytes[key.count...]).copyBytes(from: salt)
  }

  private init(profile: SRTPProfile) {
    self.profile = profile
    bytes = .allocate(byteCount: profile.keyLength + profile.saltLength, alignment: 16)
  }

  deinit {
    // Unlike a plain loop of zeros, the compiler may not leave this out.
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    bytes.deallocate()
  }
}
