import Testing

@testable import Realtime

/// The test vectors of RFC 3711 appendix B and of RFC 7714 sections 16 and 17.
@Suite struct SRTPVectorTests {
  /// RFC 3711 B.2; the last three blocks are F.5.1 of NIST SP 800-38A as well.
  @Test func theKeyStreamIsThatOfRFC3711() throws {
    let keys = SessionKeys(
      key: hexadecimal("2B7E151628AED2A6ABF7158809CF4F3C"), salt: hexadecimal("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"))
    guard let cipher = EVPCipher(.counter, key: keys.key, encrypts: true) else {
      Issue.record("there is no cipher")
      return
    }
    var stream = [UInt8](repeating: 0, count: 1_044_512)
    let isDone = stream.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return cipher.start(PacketNonce(salt: keys.salt, ssrc: 0, index: 0))
        && cipher.apply(start, to: start, count: bytes.count)
    }
    #expect(isDone)
    let first = hexadecimal(
      "E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0")
    let last = hexadecimal(
      "EC8CDF7398607CB0F2D21675EA9EA1E4 362B7C3C6773516318A077D7FC5073AE 6A2CC3787889374FBEB4C81B17BA6C44")
    #expect(Array(stream.prefix(48)) == first)
    #expect(Array(stream.suffix(48)) == last)
  }

  /// RFC 3711 B.3.
  @Test func theKeysAreThoseOfRFC3711() throws {
    let master = KeyMaterial(
      profile: .aes128CMSHA180,
      keyAndSalt: hexadecimal("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6"))
    guard let master, let keys = SessionKeys.derived(from: master, for: .rtp) else {
      Issue.record("there are no keys")
      return
    }
    let (key, authentication, salt) = (Array(keys.key), Array(keys.authentication), keys.salt)
    #expect(key == hexadecimal("C61E7A93744F39EE10734AFE3FF7A087"))
    #expect(authentication == hexadecimal("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    #expect(salt.high == 0x30CB_BC08_863D_8C85)
    #expect(salt.low == 0xD49D_B34A_9AE1_0000)
  }

  /// The key, the salt and the packets of RFC 7714.
  private static let key = hexadecimal("000102030405060708090A0B0C0D0E0F")
  private static let salt = hexadecimal("51756964 2070726F 2071756F")
  private static let rtp =
    hexadecimal("8040F17B 8041F8D3 5501A0B2") + Array("Gallia est omnis divisa in partes tres".utf8)
  private static let rtcp = hexadecimal(
    """
    81C8000D 4D617273 4E545031 4E545032 52545020 0000042A 0000E930 4C756E61
    DEADBEEF DEADBEEF DEADBEEF DEADBEEF DEADBEEF
    """)

  /// RFC 7714 16.1.
  @Test func aPacketIsThatOfRFC7714() throws {
    try Self.expect(
      Self.rtp, .rtp, .init(clear: 12, ssrc: 0x5501_A0B2, index: 0xF17B, word: 0),
      protected: """
        8040F17B 8041F8D3 5501A0B2
        F24DE3A3 FB34DE6C ACBA861C 9D7E4BCA BE633BD5 0D294E6F 42A5F47A 51C7D19B 36DE3ADF 8833
        899D7F27 BEB16A91 52CF765E E4390CCE
        """)
  }

  /// RFC 7714 17.1.
  @Test func aCompoundIsThatOfRFC7714() throws {
    try Self.expect(
      Self.rtcp, .rtcp, .init(clear: 8, ssrc: 0x4D61_7273, index: 0x5D4, word: 0x8000_05D4),
      protected: """
        81C8000D 4D617273
        63E94885 DCDAB67C A727D766 2F6B7E99 7FF5C0F7 6C06F32D C676A5F1 730D6FDA 4CE09B46 86303DED 0BB9275B
        C84AA458 96CF4D2F C5ABF872 45D9EADE 800005D4
        """)
  }

  /// RFC 7714 17.3: authenticated, not encrypted.
  @Test func aCompoundThatAnybodyCanReadIsThatOfRFC7714() throws {
    try Self.expect(
      Self.rtcp, .rtcp, .init(clear: Self.rtcp.count, ssrc: 0x4D61_7273, index: 0x5D4, word: 0x5D4),
      protected: """
        81C8000D 4D617273 4E545031 4E545032 52545020 0000042A 0000E930 4C756E61
        DEADBEEF DEADBEEF DEADBEEF DEADBEEF DEADBEEF
        841DD968 3DD78EC9 2AE58790 125F62B3 000005D4
        """)
  }

  private static func expect(
    _ plain: [UInt8], _ kind: PacketCipher.Kind, _ parameters: PacketCipher.Parameters, protected digits: String
  ) throws {
    let expected = hexadecimal(digits)
    var output = [UInt8](repeating: 0, count: plain.count + PacketCipher.longestTrailer)
    func cipher(protects: Bool) -> PacketCipher? {
      PacketCipher(.aeadAES128GCM, kind: kind, keys: SessionKeys(key: key, salt: salt), protects: protects)
    }
    guard let protection = cipher(protects: true), let opening = cipher(protects: false) else {
      Issue.record("there is no cipher")
      return
    }
    let isProtected = plain.withUnsafeBytes { bytes in
      output.withUnsafeMutableBytes { output in
        output.baseAddress.map { protection.protect(bytes, parameters, into: $0) } ?? false
      }
    }
    #expect(isProtected)
    #expect(output.prefix(expected.count) == expected[...])
    let isOpened = expected.withUnsafeBytes { bytes in
      output.withUnsafeMutableBytes { output in
        output.baseAddress.map { opening.open(bytes, parameters, into: $0) } ?? false
      }
    }
    #expect(isOpened)
    #expect(output.prefix(plain.count) == plain[...])
  }
}
