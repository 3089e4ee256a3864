// Arithmetic in this file is in range: lists are joined, and four single bytes are added.

/// Flash's digest in the handshake packets: 32 bytes of HMAC-SHA256 at a position encoded in four other bytes.
///
/// No client tested requires it; ffmpeg and Red5's client send it.
package struct RTMPDigest: Sendable {
  /// HMAC-SHA256, supplied by the caller: this module has no cryptographic library.
  package typealias HMAC = @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]

  /// The half of the packet that contains the digest.
  enum Schema: CaseIterable {
    /// The key's half comes first.
    case zero
    /// The digest's half comes first.
    case one

    /// Offset of the four bytes whose sum gives the position.
    var offset: Int { self == .zero ? 772 : 8 }
  }

  static let packetLength = 1536
  static let digestLength = 32
  /// Number of possible positions in a half.
  private static let places = 728

  static let clientKey = Array("Genuine Adobe Flash Player 001".utf8)
  static let serverKey = Array("Genuine Adobe Flash Media Server 001".utf8)
  /// The suffix of both keys for signing the other side's digest.
  static let tail: [UInt8] = [
    0xF0, 0xEE, 0xC2, 0x4A, 0x80, 0x68, 0xBE, 0xE8, 0x2E, 0x00, 0xD0, 0xD1, 0x02, 0x9E, 0x7E, 0x57,
    0x6E, 0xEC, 0x5D, 0x2D, 0x29, 0x80, 0x6F, 0xAB, 0x93, 0xB8, 0xE6, 0x36, 0xCF, 0xEB, 0x31, 0xAE,
  ]

  private let hmac: HMAC

  package init(_ hmac: @escaping HMAC) {
    self.hmac = hmac
  }

  /// Start of the digest in a packet of 1536 bytes.
  static func position(_ schema: Schema, in packet: [UInt8]) -> Int {
    guard packet.count == packetLength else { return 0 }
    let sum = packet[schema.offset..<schema.offset + 4].reduce(0) { $0 + Int($1) }
    return sum % places + schema.offset + 4
  }

  /// Finds the digest of a packet made with `key`; nil if there is none.
  func find(in packet: [UInt8], key: [UInt8]) -> (schema: Schema, digest: [UInt8])? {
    guard packet.count == RTMPDigest.packetLength else { return nil }
    for schema in Schema.allCases {
      let position = RTMPDigest.position(schema, in: packet)
      let digest = Array(packet[position..<position + RTMPDigest.digestLength])
      if digest == self.digest(of: packet, at: position, key) { return (schema, digest) }
    }
    return nil
  }

  /// Inserts the digest into a packet and returns it.
  func sign(_ packet: inout [UInt8], _ schema: Schema, key: [UInt8]) -> [UInt8] {
    let position = RTMPDigest.position(schema, in: packet)
    let digest = digest(of: packet, at: position, key)
    packet.replaceSubrange(position..<position + RTMPDigest.digestLength, with: digest)
    return digest
  }

  /// The last 32 bytes of the second packet, which prove that the other side's digest was verified; `body` is the
  /// part before.
  func signature(of body: [UInt8], answering digest: [UInt8], key: [UInt8]) -> [UInt8] {
    hmac(hmac(key + RTMPDigest.tail, digest), body)
  }

  private func digest(of packet: [UInt8], at position: Int, _ key: [UInt8]) -> [UInt8] {
    hmac(key, Array(packet[..<position] + packet[(position + RTMPDigest.digestLength)...]))
  }
}

/// Pseudorandom bytes (SplitMix64): in the handshake they must differ, but need not be secret.
struct RTMPNoise {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      bytes.append(mixed ^ (mixed >> 31), octets: 8)
    }
    return Array(bytes.prefix(count))
  }
}
