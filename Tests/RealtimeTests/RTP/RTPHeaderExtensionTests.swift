import Testing

@testable import Realtime

@Suite struct RTPHeaderExtensionTests {
  private func packet(profile: String, words: String, _ area: String) throws -> RTPPacket {
    try RTPPacket(parsing: hexadecimal("906f 0001 00000000 00000001 \(profile) \(words) \(area)"))
  }

  @Test func readsTheTwoByteFormAndItsPadding() throws {
    // Padding, id 17 with no data, padding, id 4 "abc".
    let packet = try packet(profile: "1000", words: "0003", "00 1100 00 0403 616263 000000")
    #expect(packet.extensionElement(17)?.isEmpty == true)
    #expect(packet.mid(4) == "abc")
    #expect(packet.extensionElement(5) == nil)
    #expect(packet.extensionElement(0) == nil)
  }

  @Test func stopsAtIdentifierFifteen() throws {
    let packet = try packet(profile: "bede", words: "0002", "1055 f0aa 4061 0000")
    #expect(packet.audioLevel(1)?.belowFullScale == 0x55)
    #expect(packet.mid(4) == nil)
  }

  @Test func ignoresAnElementThatLeavesTheArea() throws {
    #expect(try packet(profile: "bede", words: "0001", "4f616161").mid(4) == nil)
    #expect(try packet(profile: "1000", words: "0001", "0000 04ff").mid(4) == nil)
    #expect(try packet(profile: "1000", words: "0001", "0000 0004").mid(4) == nil)
  }

  @Test func ignoresAreasOfOtherProfiles() throws {
    #expect(try packet(profile: "abcd", words: "0001", "1055 0000").audioLevel(1) == nil)
  }

  @Test func refusesAMidThatIsNotText() throws {
    #expect(try packet(profile: "bede", words: "0001", "41 ff fe 00").mid(4) == nil)
  }

  @Test func readsBothFormsOfTheCaptureTime() throws {
    let short = try packet(profile: "bede", words: "0003", "57 e1e2e3e480000000 000000")
    #expect(short.absoluteCaptureTime(5) == AbsoluteCaptureTime(captured: NTPTime(bits: 0xE1E2_E3E4_8000_0000)))
    let long = try packet(profile: "bede", words: "0005", "5f e1e2e3e480000000 ffffffff00000000 000000")
    #expect(long.absoluteCaptureTime(5)?.clockOffset == -(1 << 32))
    let cut = try packet(profile: "bede", words: "0002", "56 e1e2e3e4800000")
    #expect(cut.absoluteCaptureTime(5) == nil)
  }
}
