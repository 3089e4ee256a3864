import COpenSSL

/// The session keys of one direction of RTP or RTCP, derived from the master key (RFC 3711 section 4.3, RFC 7714
/// section 11) with a key derivation rate of 0: once. They lie in separate memory that is overwritten on release.
struct SessionKeys: ~Copyable {
  private let bytes: UnsafeMutableRawBufferPointer

  /// Length of the key of HMAC-SHA1, in bytes (RFC 3711 section 5.2).
  static let authenticationLength = 20
  /// Where the parts lie; a salt of 12 bytes ends where one of 14 does.
  private static let (authenticationStart, saltStart, saltEnd, length) = (16, 40, 54, 56)
  /// Labels of the key, the authentication key and the salt of SRTP; those of SRTCP follow.
  private static let (keyLabel, authenticationLabel, saltLabel, labels): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)

  /// Those of a master key; nil if OpenSSL runs out of memory.
  static func derived(from material: borrowing KeyMaterial, for kind: PacketCipher.Kind) -> SessionKeys? {
    let (profile, master) = (material.profile, UnsafeRawBufferPointer(material.bytes))
    let key = UnsafeRawBufferPointer(rebasing: master[..<profile.keyLength])
    guard let cipher = EVPCipher(.counter, key: key, encrypts: true) else { return nil }
    let keys = SessionKeys()
    let salt = Self.words(UnsafeRawBufferPointer(rebasing: master[profile.keyLength...]))
    let first = kind == .rtp ? 0 : Self.labels
    for (label, range) in [
      (Self.keyLabel, 0..<EVPCipher.keyLength),
      (Self.authenticationLabel, Self.authenticationStart..<Self.authenticationStart + Self.authenticationLength),
      (Self.saltLabel, Self.saltEnd - profile.saltLength..<Self.saltEnd),
    ] {
      let part = UnsafeMutableRawBufferPointer(rebasing: keys.bytes[range])
      // The key stream itself: the memory holds zeros.
      guard let start = part.baseAddress, cipher.start(PacketNonce(masterSalt: salt, label: first + label)),
        cipher.apply(start, to: start, count: part.count)
      else { return nil }
    }
    return keys
  }

  /// Session keys that are known: those of a test vector.
  init(key: [UInt8], authentication: [UInt8] = [], salt: [UInt8]) {
    self.init()
    for (part, end) in [
      (key, EVPCipher.keyLength), (authentication, Self.authenticationStart + Self.authenticationLength),
      (salt, Self.saltEnd),
    ] {
      UnsafeMutableRawBufferPointer(rebasing: bytes[(end - part.count)..<end]).copyBytes(from: part)
    }
  }

  private init() {
    bytes = .allocate(byteCount: Self.length, alignment: 8)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    bytes.deallocate()
  }

  /// The key of AES.
  var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<EVPCipher.keyLength]) }

  /// The key of HMAC-SHA1, which Galois/counter mode does not use.
  var authentication: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[Self.authenticationStart...].prefix(Self.authenticationLength))
  }

  /// The salt as the first 14 of 16 bytes.
  var salt: (high: UInt64, low: UInt64) {
    (
      UInt64(bigEndian: bytes.load(fromByteOffset: Self.saltStart, as: UInt64.self)),
      UInt64(bigEndian: bytes.load(fromByteOffset: Self.saltStart + 8, as: UInt64.self))
    )
  }

  /// Up to 16 bytes, and zeros behind them, as two numbers.
  private static func words(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      let shift = UInt64(56 - index % 8 * 8)
      if index < 8 { words.high |= UInt64(byte) << shift } else { words.low |= UInt64(byte) << shift }
    }
    return words
  }
}
