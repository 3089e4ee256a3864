import Testing

@testable import Realtime

@Suite struct RTPWriterTests {
  private let writer = RTPWriter(
    payloadType: 111, marker: true, sequenceNumber: 65_000, timestamp: 0xFFFF_FFF0, ssrc: 0x1234_5678)

  @Test func writesTheSameBytesAsAiortc() {
    let packet = writer.packet(
      extensions: [.mid("0", id: 4), .audioLevel(AudioLevel(hasVoice: true, belowFullScale: 30), id: 1)],
      payload: Array("opus!".utf8))
    #expect(packet == hexadecimal("90ef fde8 fffffff0 12345678 bede0001 4030109e 6f70757321"))
  }

  @Test func readsBackWhatItWroteInEitherForm() throws {
    let time = AbsoluteCaptureTime(captured: NTPTime(seconds: 7, fraction: 9), clockOffset: -5)
    for id: UInt8 in [3, 14, 15, 200] {
      let bytes = writer.packet(
        extensions: [.absoluteCaptureTime(time, id: id), .mid("guitar", id: 2)], payload: [1, 2, 3])
      let packet = try RTPPacket(parsing: bytes)
      #expect(packet.absoluteCaptureTime(id) == time)
      #expect(packet.mid(2) == "guitar")
      #expect(Array(packet.payload) == [1, 2, 3])
    }
  }

  @Test func takesTheTwoByteFormForLongOrEmptyElements() throws {
    let long = String(repeating: "m", count: 17)
    let bytes = writer.packet(
      extensions: [.mid(long, id: 1), RTPHeaderExtension(id: 2, data: [])], payload: [])
    let packet = try RTPPacket(parsing: bytes)
    #expect(packet.header.extensionProfile == 0x1000)
    #expect(packet.mid(1) == long)
    #expect(packet.extensionElement(2)?.isEmpty == true)
  }

  @Test func cutsWhatNoFormCanCarryAndLeavesIdentifierZeroOut() throws {
    let bytes = writer.packet(
      extensions: [.mid(String(repeating: "m", count: 300), id: 1), .mid("x", id: 0)], payload: [9])
    let packet = try RTPPacket(parsing: bytes)
    #expect(packet.mid(1)?.utf8.count == 255)
    #expect(Array(packet.payload) == [9])
  }

  @Test func writesNoAreaWithoutElements() {
    #expect(writer.packet(payload: [7]).count == 13)
  }
}
