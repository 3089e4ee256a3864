import Testing

@testable import Signaling

@Suite struct RumorFrameTests {
  /// As OpenTok.js 2.7.5 writes it: name and value of a header each after its own length.
  private static let golden: [UInt8] = [
    0, 0, 0, 33,  // bytes after these
    0, 0, 2, 1,  // reserved, message, one address
    0, 3, 0x73, 0x2E, 0x6A,  // "s.j"
    1, 0, 6, 0x53, 0x54, 0x41, 0x54, 0x55, 0x53, 0, 3, 0x32, 0x30, 0x30,  // STATUS: 200
    0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xC3, 0xA9, 0x22, 0x7D,  // {"a":"é"}
  ]
  private static let frame = RumorFrame(
    .message, to: ["s.j"], [RumorFrame.Header("STATUS", "200")], payload: "{\"a\":\"é\"}")

  @Test func theBytesAreThoseOfTheClientLibrary() throws {
    #expect(RumorFrameTests.frame.bytes == RumorFrameTests.golden)
    let read = try RumorFrame(RumorFrameTests.golden)
    #expect(read == RumorFrameTests.frame)
  }

  @Test(arguments: RumorFrame.Kind.allCases)
  func everyKindComesBackAsBytesAndAsText(kind: RumorFrame.Kind) throws {
    let headers = [RumorFrame.Header("TRANSACTION-ID", "a/b"), RumorFrame.Header("", "")]
    let frame = RumorFrame(kind, to: ["", "é\u{0}"], headers, payload: "line\n\"\u{1F3B8}")
    let fromBytes = try RumorFrame(frame.bytes)
    #expect(fromBytes == frame)
    let fromText = RumorFrame(text: frame.text, limits: .signaling)
    #expect(fromText == frame)
  }

  @Test func aPingHasTenBytesLess() throws {
    let bytes: [UInt8] = [0, 0, 0, 5, 0, 0, 7, 0, 0]
    #expect(RumorFrame(.ping).bytes == bytes)
    let read = try RumorFrame(bytes)
    #expect(read.kind == .ping)
  }

  @Test func whatIsCutOffAnywhereIsRefused() {
    let golden = RumorFrameTests.golden
    for count in 0..<golden.count {
      let bytes = Array(golden.prefix(count))
      #expect(throws: RumorFault.length) { try RumorFrame(bytes) }
    }
    let longer = golden + [0]
    #expect(throws: RumorFault.length) { try RumorFrame(longer) }
  }

  @Test func lengthsWithinThatLeadBeyondTheFrameAreRefused() {
    var bytes = RumorFrameTests.golden
    bytes[8] = 0xFF
    #expect(throws: RumorFault.length) { try RumorFrame(bytes) }
    bytes = RumorFrameTests.golden
    bytes[14] = 0xFF
    #expect(throws: RumorFault.length) { try RumorFrame(bytes) }
  }

  @Test func unknownKindsManyPartsAndOtherTextsAreRefused() {
    var bytes = RumorFrameTests.golden
    bytes[6] = 5
    #expect(throws: RumorFault.unknownKind(5)) { try RumorFrame(bytes) }
    bytes = RumorFrameTests.golden
    bytes[7] = 17
    #expect(throws: RumorFault.tooMany) { try RumorFrame(bytes) }
    bytes = RumorFrameTests.golden
    bytes[bytes.count - 4] = 0xFF
    #expect(throws: RumorFault.notText) { try RumorFrame(bytes) }
  }

  @Test func aLinkOfRumorTakesBinaryMessagesOnly() throws {
    let framing = RumorFraming()
    let refused = FramingFault(code: 1003, "messages here are binary frames of Rumor")
    #expect(throws: refused) { try framing.messages(in: "{}", limits: .signaling) }
    let text = try #require(try framing.message(in: RumorFrameTests.golden))
    #expect(framing.frame(of: text) == .bytes(RumorFrameTests.golden))
    let broken = FramingFault(RumorFault.length.sentence)
    #expect(throws: broken) { try framing.message(in: [0, 0, 0, 9, 0]) }
    let plain = try PlainFraming().message(in: RumorFrameTests.golden)
    #expect(plain == nil)
    #expect(PlainFraming().frame(of: text) == .text(text))
  }
}

@Suite struct RaptorMessageTests {
  private static let base = "/v2/partner/46000001/session/1_abc"

  @Test(arguments: [
    "", "/connection/c", "/stream/s", "/stream/s/channel/audio1", "/stream/s/subscriber/u",
    "/stream/s/subscriber/u/channel/audio1", "/signal/x", "/connection/c/signal/x", "/archive/a",
  ])
  func everyAddressIsReadAndWrittenAlike(tail: String) throws {
    let place = try #require(RaptorPlace(RaptorMessageTests.base + tail))
    #expect(place.uri == RaptorMessageTests.base + tail)
    #expect(place.key == "46000001")
    #expect(place.session == "1_abc")
    #expect(RaptorPlace(RaptorMessageTests.base + tail + "/") == place)
  }

  @Test(arguments: ["", "/", "/v1/partner/k/session/s", "/v2/partner/k", "v2/partner/k/session/s"])
  func otherAddressesAreNone(uri: String) {
    #expect(RaptorPlace(uri) == nil)
  }

  @Test(arguments: ["/stream", "/stream/", "/stream//", "/take/5", "/stream/s/subscriber", "/channel/c/stream/s"])
  func otherTailsAreNone(tail: String) {
    #expect(RaptorPlace(RaptorMessageTests.base + tail) == nil)
  }

  @Test(arguments: [
    "", "[]", "{}", "{\"method\":\"create\"}", "{\"method\":\"conquer\",\"uri\":\"/v2/partner/k/session/s\"}",
    "{\"method\":\"create\",\"uri\":\"/elsewhere\"}", "{\"method\":1,\"uri\":2}",
  ])
  func whatIsNoMessageIsABadRequest(text: String) {
    let refusal = #expect(throws: OpenTokRefusal.self) { try RaptorMessage(parsing: text, limits: .signaling) }
    #expect(refusal?.status == 400)
  }

  @Test func theReasonStandsBesideTheContent() throws {
    let place = RaptorPlace(key: "k", session: "s", .connection("c"))
    let message = RaptorMessage(.deleted, place, reason: "forceDisconnected")
    let object = try #require(try JSONValue(parsing: message.text).object)
    #expect(object["reason"] == "forceDisconnected")
    let read = try RaptorMessage(parsing: message.text, limits: .signaling)
    #expect(read == message)
  }
}
