import Testing

@testable import Realtime

@Suite struct RTPHeaderTests {
  /// Written by aiortc: audio level 30 with voice under id 1, mid "0" under id 4.
  let fromAiortc = hexadecimal("90ef fde8 fffffff0 12345678 bede0001 40301 09e 6f70757321")

  @Test func readsAPacketThatAiortcWrote() throws {
    let packet = try RTPPacket(parsing: fromAiortc)
    #expect(packet.header.marker)
    #expect(packet.header.payloadType == 111)
    #expect(packet.header.sequenceNumber == 65_000)
    #expect(packet.header.timestamp == 0xFFFF_FFF0)
    #expect(packet.header.ssrc == 0x1234_5678)
    #expect(Array(packet.payload) == Array("opus!".utf8))
    #expect(packet.mid(4) == "0")
    #expect(packet.audioLevel(1) == AudioLevel(hasVoice: true, belowFullScale: 30))
    #expect(packet.absoluteCaptureTime(5) == nil)
  }

  @Test func readsContributorsAndTakesPaddingOff() throws {
    let bytes = hexadecimal("b2ef fde8 fffffff0 12345678 00000001 00000002 bede0001 4030109e 6f70757321 ce974204")
    let packet = try RTPPacket(parsing: bytes)
    #expect(packet.contributors == [1, 2])
    #expect(packet.audioLevel(1)?.belowFullScale == 30)
    #expect(Array(packet.payload) == Array("opus!".utf8))
  }

  @Test func takesAPacketThatOnlyPads() throws {
    let packet = try RTPPacket(parsing: hexadecimal("a06f 0001 00000000 00000001 00000004"))
    #expect(packet.payload.isEmpty)
    #expect(try RTPPacket(parsing: hexadecimal("806f 0001 00000000 00000001")).payload.isEmpty)
  }

  @Test func refusesEveryPrefixThatEndsInsideTheHeader() {
    for length in 0..<20 {
      #expect(throws: RTPError.self) { try RTPPacket(parsing: Array(fromAiortc.prefix(length))) }
    }
    #expect(throws: Never.self) { try RTPPacket(parsing: Array(fromAiortc.prefix(20))) }
  }

  @Test func saysWhatIsWrongAndWhatWouldBeRight() {
    #expect(throws: RTPError.truncated(length: 3, needed: 12)) { try RTPPacket(parsing: [0x80, 0x6F, 0]) }
    var wrongVersion = fromAiortc
    wrongVersion[0] = 0x50
    #expect(throws: RTPError.wrongVersion(1)) { try RTPPacket(parsing: wrongVersion) }
    #expect(RTPError.wrongVersion(1).description == "RTP version is 1: it must be 2")
    #expect(throws: RTPError.wrongPadding(count: 9, available: 4)) {
      try RTPPacket(parsing: hexadecimal("a06f 0001 00000000 00000001 00000009"))
    }
    #expect(throws: RTPError.wrongPadding(count: 0, available: 4)) {
      try RTPPacket(parsing: hexadecimal("a06f 0001 00000000 00000001 00000000"))
    }
    #expect(throws: RTPError.truncated(length: 12, needed: 72)) {
      try RTPPacket(parsing: hexadecimal("8f6f 0001 00000000 00000001"))
    }
  }
}
