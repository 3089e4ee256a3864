import COpenSSL

/// Master key and master salt of one direction, in separate memory that is overwritten on release.
package struct KeyMaterial: ~Copyable {
  package let profile: SRTPProfile
  /// Key, then salt, in the order of the `inline:` parameter of SDES (RFC 4568 §6.1).
  let bytes: UnsafeMutableRawBufferPointer

  /// Copies key and salt from an SDES line or a test. Nil if the length is not `keyLength + saltLength` of the
  /// profile: 28 bytes for AEAD_AES_128_GCM, 30 for AES128_CM_SHA1_80.
  package init?(profile: SRTPProfile, keyAndSalt: [UInt8]) {
    guard keyAndSalt.count == profile.keyLength + profile.saltLength else { return nil }
    self.init(profile: profile)
    bytes.copyBytes(from: keyAndSalt)
  }

  /// Copies key and salt from two places of one block; the caller has checked the bounds.
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
    // Unlike a plain loop, the compiler must not optimise this away.
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    bytes.deallocate()
  }
}

/// The keys of both directions from a DTLS-SRTP handshake (RFC 5764 §4.2).
package struct KeyPair: ~Copyable {
  package let profile: SRTPProfile
  /// Protects outgoing packets.
  let sending: KeyMaterial
  /// Decrypts incoming packets.
  let receiving: KeyMaterial

  /// Nil if the two directions have different profiles.
  package init?(sending: consuming KeyMaterial, receiving: consuming KeyMaterial) {
    guard sending.profile == receiving.profile else { return nil }
    profile = sending.profile
    self.sending = sending
    self.receiving = receiving
  }

  /// Splits an exported block: client key, server key, client salt, server salt. Nil if it is too short.
  init?(profile: SRTPProfile, exported: UnsafeRawBufferPointer, role: NegotiatedSession.DTLSRole) {
    let key = profile.keyLength
    let salt = profile.saltLength
    guard exported.count == 2 * (key + salt) else { return nil }
    func part(_ start: Int, _ length: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: exported[start..<start + length])
    }
    let client = KeyMaterial(profile: profile, key: part(0, key), salt: part(2 * key, salt))
    let server = KeyMaterial(profile: profile, key: part(key, key), salt: part(2 * key + salt, salt))
    switch role {
    case .client: self.init(sending: client, receiving: server)
    case .server: self.init(sending: server, receiving: client)
    }
  }

  /// Exports the SRTP keys of a finished DTLS session (`SSL *`); nil if it negotiated none of our profiles.
  init?(exportedFrom session: OpaquePointer, role: NegotiatedSession.DTLSRole) {
    guard let chosen = SSL_get_selected_srtp_profile(session),
      let profile = SRTPProfile(dtlsIdentifier: chosen.pointee.id)
    else { return nil }
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 2 * (profile.keyLength + profile.saltLength), alignment: 16)
    defer {
      OPENSSL_cleanse(block.baseAddress, block.count)
      block.deallocate()
    }
    // RFC 5764 §4.2.
    let label = "EXTRACTOR-dtls_srtp"
    let exported = SSL_export_keying_material(
      session, block.baseAddress?.assumingMemoryBound(to: UInt8.self), block.count, label, label.utf8.count, nil, 0, 0)
    guard exported == 1 else { return nil }
    self.init(profile: profile, exported: UnsafeRawBufferPointer(block), role: role)
  }
}
