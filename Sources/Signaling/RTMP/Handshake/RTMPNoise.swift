/// Bytes that look random (SplitMix64): a handshake wants them different, not secret.
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
