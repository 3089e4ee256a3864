/// The 16 bytes from which the key stream of a packet starts: salt, source and index (RFC 3711 section 4.1.1). AES-GCM
/// takes the twelve from the third on (RFC 7714 sections 8.1 and 9.1), and the derivation of keys its own (section 4.3).
struct PacketNonce {
  /// Most significant byte first.
  private var words: (UInt64, UInt64)

  /// - Parameters:
  ///   - salt: the session salt of `SessionKeys`.
  ///   - ssrc: the source.
  ///   - index: the packet's index, of 48 bits for SRTP and of 31 for SRTCP.
  init(salt: (high: UInt64, low: UInt64), ssrc: UInt32, index: Int64) {
    words = ((salt.high ^ UInt64(ssrc)).bigEndian, (salt.low ^ UInt64(bitPattern: index) &<< 16).bigEndian)
  }

  /// For one of the session keys: its label stands before 48 bits of zero, because we do not renew them.
  init(masterSalt: (high: UInt64, low: UInt64), label: UInt8) {
    words = ((masterSalt.high ^ UInt64(label)).bigEndian, masterSalt.low.bigEndian)
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Swift.withUnsafeBytes(of: words, body)
  }
}
