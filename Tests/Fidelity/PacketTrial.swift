import Realtime

/// What SRTP costs per packet of 160 bytes, with one source that sends in order: each profile, either way.
struct PacketTrial {
  private static let packets = 100_000
  private static let runs = 7
  private static let length = 160

  func run() throws {
    for profile in SRTPProfile.allCases {
      let (sender, receiver) = try (context(profile, sends: true), context(profile, sends: false))
      var packet = MediaHead.bytes(0) + [UInt8](repeating: 0x5A, count: PacketTrial.length - MediaHead.bytes(0).count)
      var datagrams: [[UInt8]] = []
      for index in 0..<PacketTrial.runs * PacketTrial.packets {
        packet.replaceSubrange(2..<4, with: [UInt8(index >> 8 & 0xFF), UInt8(index & 0xFF)])
        datagrams.append(Array(try packet.withUnsafeBytes { bytes in try sender.protect(rtp: bytes) }))
      }
      var (next, opened) = (0, 0)
      var figure = Figure("srtp")
      figure.add(
        "\(profile)OpenUs",
        try Stopwatch.microseconds(per: PacketTrial.packets, runs: PacketTrial.runs) {
          for _ in 0..<PacketTrial.packets {
            opened += try datagrams[next].withUnsafeBytes { bytes in try receiver.unprotect(rtp: bytes).count }
            next += 1
          }
        })
      guard opened == next * PacketTrial.length else { throw FidelityProblem("not every packet was opened") }
      figure.add(
        "\(profile)ProtectUs",
        try Stopwatch.microseconds(per: PacketTrial.packets, runs: PacketTrial.runs) {
          for index in 0..<PacketTrial.packets {
            packet.withUnsafeMutableBytes { bytes in
              bytes[2] = UInt8(truncatingIfNeeded: index >> 8)
              bytes[3] = UInt8(truncatingIfNeeded: index)
            }
            _ = try packet.withUnsafeBytes { bytes in try sender.protect(rtp: bytes) }
          }
        })
      figure.tell()
    }
  }

  private func context(_ profile: SRTPProfile, sends: Bool) throws -> SRTPContext {
    let length = profile.keyLength + profile.saltLength
    let numbers: (UInt8, UInt8) = sends ? (1, 2) : (2, 1)
    guard let sending = KeyMaterial(profile: profile, keyAndSalt: [UInt8](repeating: numbers.0, count: length)),
      let receiving = KeyMaterial(profile: profile, keyAndSalt: [UInt8](repeating: numbers.1, count: length)),
      let keys = KeyPair(sending: sending, receiving: receiving)
    else { throw FidelityProblem("there are no keys") }
    return try SRTPContext(keys: keys)
  }
}
