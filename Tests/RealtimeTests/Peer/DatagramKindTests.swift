import Testing

@testable import Realtime

struct DatagramKindTests {
  private func kind(_ bytes: [UInt8]) -> DatagramKind { bytes.withUnsafeBytes { DatagramKind($0) } }

  @Test func theFirstByteTellsDTLSFromMediaFromTheRest() {
    for first in UInt8.min...UInt8.max {
      let expected: DatagramKind =
        switch first {
        case 20...63: .dtls
        case 128...191: .rtp
        default: .other
        }
      #expect(kind([first, 111, 0, 0]) == expected)
    }
  }

  @Test func theSecondByteTellsRTCPFromRTP() {
    #expect(kind([0x80, 200]) == .rtcp)
    #expect(kind([0x80, 192]) == .rtcp)
    #expect(kind([0x80, 223]) == .rtcp)
    #expect(kind([0x80, 224]) == .rtp)
    #expect(kind([0x80, 111]) == .rtp)
    #expect(kind([0x80, 111 | 0x80]) == .rtp, "Opus with the marker bit")
  }

  @Test func whatIsTooShortIsNothing() {
    #expect(kind([]) == .other)
    #expect(kind([0x80]) == .other)
  }
}
