import TestSupport
import Testing

@testable import Realtime

/// Bytes of a hostile musician, after authentication: any outcome but a trap.
@Suite struct RTCPNoiseTests {
  @Test func survivesRandomBodiesOfEveryType() {
    var random = SeededRandom(13)
    var read = 0
    var unreadable = 0
    for round in 0..<2_000 {
      var bytes = (0..<Int.random(in: 1...20, using: &random) * 4).map { _ in UInt8.random(in: 0...255, using: &random)
      }
      bytes[0] = 0x80 | UInt8.random(in: 0...63, using: &random)
      bytes[1] = 200 + UInt8(round % 8)
      bytes[2] = 0
      bytes[3] = UInt8(bytes.count / 4 - 1)
      guard let packets = try? RTCPCompound.parse(bytes) else { continue }
      read += 1
      // What was read can be written, and reads the same again.
      if (try? RTCPCompound.parse(RTCPCompound.write(packets))) == nil { unreadable += 1 }
    }
    #expect(read > 300)
    #expect(unreadable == 0)
  }

  @Test func survivesEveryCutAndEveryFlippedByte() {
    let whole = RTCPCompound.write(RTCPCompoundTests.golden.map(\.1))
    for length in whole.indices { _ = try? RTCPCompound.parse(Array(whole.prefix(length))) }
    for index in whole.indices {
      for value: UInt8 in [0, 1, 0x1F, 0x7F, 0x80, 0xFF] {
        var bytes = whole
        bytes[index] = value
        _ = try? RTCPCompound.parse(bytes)
      }
    }
  }
}
