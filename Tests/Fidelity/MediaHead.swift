/// The head of an RTP packet, for trials in which nobody listens.
enum MediaHead {
  /// Bytes of a packet of 20 ms at 128 kbit/s: 320 of Opus, the head, and the extensions that browsers send.
  static let packetLength = 320 + 12 + 12
  static let source: UInt32 = 0x4A41_4D31

  /// The 12 bytes of packet `index` of 20 ms.
  static func bytes(_ index: Int) -> [UInt8] {
    let number = UInt16(truncatingIfNeeded: index + 1_000)
    let timestamp = UInt32(truncatingIfNeeded: index * 960 + 50_000)
    var bytes: [UInt8] = [0x80, 111, UInt8(number >> 8), UInt8(number & 0xFF)]
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(timestamp >> shift & 0xFF)) }
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(source >> shift & 0xFF)) }
    return bytes
  }
}
