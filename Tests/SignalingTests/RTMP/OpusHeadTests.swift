import Testing

@testable import Signaling

@Suite struct OpusHeadTests {
  private static func head(channels: UInt8, family: UInt8, mapping: [UInt8] = []) -> [UInt8] {
    Array("OpusHead".utf8) + [1, channels, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0, 0, family] + mapping
  }

  @Test func monoAndStereoAreTaken() throws {
    for head in [
      OpusHeadTests.head(channels: 1, family: 0), OpusHeadTests.head(channels: 2, family: 0),
      OpusHeadTests.head(channels: 1, family: 1, mapping: [1, 0, 0]),
      OpusHeadTests.head(channels: 2, family: 1, mapping: [1, 1, 0, 1]),
    ] {
      let found = try #require(OpusHead(head))
      #expect(found.refusal == nil && found.preSkip == 312)
    }
  }

  @Test(arguments: [
    (UInt8(6), UInt8(1), [UInt8(4), 2, 0, 4, 1, 2, 3, 5], "5.1 Opus is not recorded; send stereo"),
    (8, 1, [5, 3, 0, 6, 1, 2, 3, 4, 5, 7], "7.1 Opus is not recorded; send stereo"),
    (4, 2, [4, 0, 0, 1, 2, 3], "Opus with 4 channels is not recorded; send stereo"),
  ]) func moreChannelsAreRefusedByName(channels: UInt8, family: UInt8, mapping: [UInt8], sentence: String) throws {
    let head = try #require(OpusHead(OpusHeadTests.head(channels: channels, family: family, mapping: mapping)))
    #expect(head.refusal == sentence)
  }

  /// Two streams in each packet: the second cannot be told from the first without the mapping.
  @Test func stereoInTwoStreamsIsRefused() throws {
    let head = try #require(OpusHead(OpusHeadTests.head(channels: 2, family: 1, mapping: [2, 0, 0, 1])))
    #expect(head.refusal?.contains("more than one stream") == true)
  }

  @Test(arguments: [
    [], Array("OpusHead".utf8), head(channels: 0, family: 0), head(channels: 3, family: 0),
    head(channels: 6, family: 1, mapping: [4, 2, 0]),
  ]) func whatIsNoHeadIsNone(bytes: [UInt8]) {
    #expect(OpusHead(bytes) == nil)
  }
}
