import TestSupport
import Testing

@testable import Signaling

@Suite struct AudioTagTests {
  private func tags(_ hex: String) throws -> [AudioTag] { try AudioTag.tags(in: Hex.bytes(hex)) }

  @Test func everyCapturedAudioMessageIsOneTagThatIsWrittenBack() throws {
    let rows = try RTMPVectors.read("messages.json", as: RTMPVectors.Message.self).filter { $0.type == 8 }
    #expect(rows.count == 14)
    for row in rows {
      let tags = try tags(row.body)
      #expect(tags.count == 1, "\(row.body)")
      let written = tags.first?.body.map { Hex.text($0) }
      // AAC's channels on track 0 have no legacy form, and nobody was seen to send them.
      #expect(written == row.body, "\(row.capture) \(row.body)")
    }
  }

  @Test func legacyFormsSayTheirLayout() throws {
    #expect(try tags("") == [AudioTag(nil, .end)])
    #expect(
      try tags("3f0102") == [
        AudioTag(.pcm, .frame([1, 2]), layout: AudioTag.Layout(rate: 44_100, bits: 16, channels: 2))
      ])
    #expect(
      try tags("7001") == [
        AudioTag(.g711ALaw, .frame([1]), layout: AudioTag.Layout(rate: 5_512, bits: 8, channels: 1))
      ])
    #expect(try tags("af001190") == [AudioTag(.aac, .header([0x11, 0x90]))])
    #expect(try tags("af02ff").isEmpty)
    #expect(try tags("c0").isEmpty)
    #expect(throws: RTMPViolation.self) { try tags("af") }
  }

  @Test func aFilesHeaderBeforeAnAccessUnitIsCutOff() throws {
    #expect(try tags("af01fff14c80022ffc2101") == [AudioTag(.aac, .frame([0x21, 0x01]))])
    #expect(try tags("af01fff04c80022ffcaaaa21") == [AudioTag(.aac, .frame([0x21]))])
    #expect(try tags("af01fff1") == [AudioTag(.aac, .frame([0xFF, 0xF1]))])
  }

  @Test func modifiersComeBeforeTheRealType() throws {
    // 97, 3 bytes of 0x0F4240 - 1 = 999,999 ns, then type 1.
    #expect(try tags("97020f423f01 4f707573 aabb") == [AudioTag(.opus, .frame([0xAA, 0xBB]), nanoseconds: 999_999)])
    // An unknown kind with a long length, then again one, then the frame.
    let long = "97ff0100" + String(repeating: "00", count: 257) + "17"
    #expect(try tags(long + "0200000501 4f707573 cc") == [AudioTag(.opus, .frame([0xCC]), nanoseconds: 5)])
    let nine = "97" + String(repeating: "000007", count: 9)
    #expect(throws: RTMPViolation.self) { try tags(nine + "01 4f707573") }
  }

  @Test func manyTracksAreTakenApart() throws {
    #expect(
      try tags("95 11 4f707573 00 000002 aaaa 01 000001 bb") == [
        AudioTag(.opus, .frame([0xAA, 0xAA])), AudioTag(.opus, .frame([0xBB]), track: 1),
      ])
    #expect(
      try tags("95 21 4f707573 00 000001 aa 78787878 02 000001 cc 6d703461 01 000001 bb") == [
        AudioTag(.opus, .frame([0xAA])), AudioTag(.aac, .frame([0xBB]), track: 1),
      ])
    // One track alone, as FFmpeg 8 sends its second one: header, frame, end.
    #expect(try tags("95 00 4f707573 01 0102") == [AudioTag(.opus, .header([1, 2]), track: 1)])
    #expect(try tags("95 01 6d703461 02 210b") == [AudioTag(.aac, .frame([0x21, 0x0B]), track: 2)])
    #expect(try tags("95 02 4f707573 01") == [AudioTag(.opus, .end, track: 1)])
    // An empty track is one.
    #expect(
      try tags("95 11 4f707573 00 000000 ff 000001 bb") == [
        AudioTag(.opus, .frame([])), AudioTag(.opus, .frame([0xBB]), track: 255),
      ])
    for cut in ["95", "95 11", "95 11 4f7075", "95 11 4f707573", "95 11 4f707573 00 0000", "95 21 4f707573 00"] {
      #expect(throws: RTMPViolation.self, "\(cut)") { try tags(cut) }
    }
    #expect(throws: RTMPViolation.self) { try tags("95 11 4f707573 00 0000ff aa") }
    #expect(try tags("95 15 4f707573 00 000001 aa").isEmpty)
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let contents: [AudioTag.Content] = [
      .header([1, 2]), .frame([3]), .end, .channels(.unspecified(count: 6)), .channels(.native(count: 2, mask: 3)),
      .channels(.custom([1, 0])),
    ]
    for codec in AudioCodec.allCases where codec.fourCC != nil {
      for content in contents {
        for (track, nanoseconds): (UInt8, UInt32) in [(0, 0), (3, 0), (0, 7), (2, 999_999)] {
          let tag = AudioTag(codec, content, track: track, nanoseconds: nanoseconds)
          #expect(try AudioTag.tags(in: try #require(tag.body)) == [tag])
        }
      }
    }
    #expect(AudioTag(nil, .end).body == nil && AudioTag(.speex, .frame([1])).body == nil)
  }

  @Test func unknownCodecsAndTypesAreLeftOut() throws {
    #expect(try tags("91 78787878 00").isEmpty)
    #expect(try tags("93 4f707573 00").isEmpty)
    #expect(throws: RTMPViolation.self) { try tags("91 4f70") }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func randomBytesNeverTrap(seed: UInt64) {
    var generator = SeededRandom(seed)
    for _ in 0..<800 {
      var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      if !bytes.isEmpty { bytes[0] = 0x90 | bytes[0] & 0x0F }
      _ = try? AudioTag.tags(in: bytes)
      _ = AMFSequence(ByteReader(bytes))
      _ = AMFSequence(ByteReader([0x11] + bytes))
      _ = try? RTMPObjectMessage(RTMPMessage(type: 19, body: bytes), limits: RTMPLimits())
      _ = try? AggregateMessage.messages(in: RTMPMessage(type: 22, body: bytes))
    }
  }
}
