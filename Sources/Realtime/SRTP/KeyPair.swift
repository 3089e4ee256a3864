import COpenSSL

/// The keys of both directions, as a DTLS-SRTP handshake yields them (RFC 5764 §4.2).
package struct KeyPair: ~Copyable {
  package let profile: SRTPProfile
  /// Protects what we send.
  let sending: KeyMaterial
  /// Opens what the other side sends.
  let receiving: KeyMaterial

  /// Nil when the two directions name different profiles.
  package init?(sending: consuming KeyMaterial, receiving: consuming KeyMaterial) {
    guard sending.profile == receiving.profile else { return nil }
    profile = sending.profile
    self.sending = sending
    self.receiving = receiving
  }

  /// Cuts an exported block up: client key, server key, client salt, server salt. Nil when it is too short.
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

  /// Asks a finished DTLS session (`SSL *`) for its SRTP keys; nil when it agreed on no profile of ours.
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
