import TestSupport
import Testing

@testable import Realtime

/// Bytes of a hostile musician, after authentication: any outcome but a trap.
@Suite struct RTPNoiseTests {
  /// Reads all there is; true where every range lies in its place.
  private func isSound(_ packet: RTPPacket) -> Bool {
    let header = packet.header
    _ = packet.absoluteCaptureTime(3)
    return header.payloadRange.upperBound <= packet.bytes.count
      && header.payloadRange.lowerBound >= header.extensionRange.upperBound
      && packet.contributors.count == header.contributorCount
      && (0...20).allSatisfy { id in
        (packet.extensionElement(id)?.endIndex ?? 0) <= header.extensionRange.upperBound
      }
  }

  @Test func survivesRandomBytes() {
    var random = SeededRandom(11)
    var parsed = 0
    for _ in 0..<1_000 {
      var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if !bytes.isEmpty { bytes[0] = bytes[0] & 0x3F | 0x80 }
      guard let packet = try? RTPPacket(parsing: bytes) else { continue }
      parsed += 1
      #expect(isSound(packet))
    }
    #expect(parsed > 100)
  }

  @Test func survivesEveryFlippedByteOfARealPacket() {
    let real = hexadecimal("b2ef fde8 fffffff0 12345678 00000001 00000002 bede0001 4030109e 6f70757321 ce974204")
    var parsed = 0
    var unsound = 0
    for index in real.indices {
      for value in stride(from: 0, through: 255, by: 5) {
        var bytes = real
        bytes[index] = UInt8(value)
        guard let packet = try? RTPPacket(parsing: bytes) else { continue }
        parsed += 1
        if !isSound(packet) { unsound += 1 }
      }
    }
    #expect(parsed > 1_000)
    #expect(unsound == 0)
  }
}
