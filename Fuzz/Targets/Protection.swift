import Realtime

extension FuzzTarget {
  /// Packets that are protected, sent again and damaged on their way to a peer with the same keys, and packets of a
  /// stranger. Input: the profile, then a kind and a block for each step.
  static let srtp = FuzzTarget("srtp", longest: 16_384) { bytes in
    var input = FuzzInput(bytes)
    let profile: SRTPProfile = input.byte() & 1 == 0 ? .aeadAES128GCM : .aes128CMSHA180
    let (sender, receiver) = try (context(profile, sends: true), context(profile, sends: false))
    var latest: (bytes: [UInt8], isReport: Bool) = ([], false)
    while true {
      let kind = input.byte()
      guard let block = input.block() else { break }
      switch kind {
      case 0, 1:
        guard let datagram = protected(block, by: sender, isReport: kind == 1) else { continue }
        latest = (datagram, kind == 1)
        guard let plain = opened(datagram, by: receiver, isReport: kind == 1) else { continue }
        try promise(plain == block, "a packet is another once it was protected and opened")
        try promise(opened(datagram, by: receiver, isReport: kind == 1) == nil, "a packet was taken twice")
      case 2:
        try promise(opened(block, by: receiver, isReport: false) == nil, "a stranger's packet was taken")
        try promise(opened(block, by: receiver, isReport: true) == nil, "a stranger's compound was taken")
      default:
        // The block says which bytes are turned over.
        var damaged = latest.bytes
        for byte in block where Int(byte) < damaged.count { damaged[Int(byte)] ^= kind }
        try promise(
          opened(damaged, by: receiver, isReport: latest.isReport) == nil, "a packet was taken twice or damaged")
      }
    }
  }

  private static func protected(_ packet: [UInt8], by context: SRTPContext, isReport: Bool) -> [UInt8]? {
    packet.withUnsafeBytes { bytes in
      (try? isReport ? context.protect(rtcp: bytes) : context.protect(rtp: bytes)).map { Array($0) }
    }
  }

  private static func opened(_ packet: [UInt8], by context: SRTPContext, isReport: Bool) -> [UInt8]? {
    packet.withUnsafeBytes { bytes in
      (try? isReport ? context.unprotect(rtcp: bytes) : context.unprotect(rtp: bytes)).map { Array($0) }
    }
  }

  private static func context(_ profile: SRTPProfile, sends: Bool) throws -> SRTPContext {
    let length = profile.keyLength + profile.saltLength
    let numbers: (UInt8, UInt8) = sends ? (1, 2) : (2, 1)
    guard let sending = KeyMaterial(profile: profile, keyAndSalt: [UInt8](repeating: numbers.0, count: length)),
      let receiving = KeyMaterial(profile: profile, keyAndSalt: [UInt8](repeating: numbers.1, count: length)),
      let keys = KeyPair(sending: sending, receiving: receiving)
    else { throw FuzzFault("there are no keys") }
    return try SRTPContext(keys: keys)
  }
}
