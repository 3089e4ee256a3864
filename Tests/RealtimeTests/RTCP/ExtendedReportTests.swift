import Testing

@testable import Realtime

@Suite struct ExtendedReportTests {
  @Test func readsTheBlocksOfTheRoundTrip() throws {
    let bytes = hexadecimal(
      "80cf0009 00000001 04000002 e1e2e3e480000000 05000003 00000007 e3e48000 00010000 2a630000")
    let expected = ExtendedReport(
      ssrc: 1,
      blocks: [
        .receiverReferenceTime(NTPTime(bits: 0xE1E2_E3E4_8000_0000)),
        .delaySinceLastReceiverReport([.init(ssrc: 7, lastReceiverReport: 0xE3E4_8000, delay: 65_536)]),
        .other(type: 42, specific: 99, content: []),
      ])
    #expect(try RTCPCompound.parse(bytes) == [.extendedReport(expected)])
    #expect(RTCPCompound.write([.extendedReport(expected)]) == bytes)
  }

  @Test func keepsBlocksOfAnOddLengthAsTheyAre() throws {
    // An RRTR of one word instead of two, a DLRR of two words instead of three.
    let bytes = hexadecimal("80cf0006 00000001 04000001 e1e2e3e4 05000002 00000007 e3e48000")
    let packets = try RTCPCompound.parse(bytes)
    guard case .extendedReport(let report)? = packets.first else { return _ = Issue.record("\(packets)") }
    #expect(report.blocks.count == 2)
    #expect(RTCPCompound.write(packets) == bytes)
  }

  @Test func refusesABlockThatLeavesThePacket() {
    #expect(throws: RTCPError.shortBody(payloadType: 207, offset: 0, needed: 20, available: 12)) {
      try RTCPCompound.parse(hexadecimal("80cf0003 00000001 05000003 00000007"))
    }
  }
}
