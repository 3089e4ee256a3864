import Realtime
import TestSupport
import Testing

@Suite struct SDPParserTests {
  @Test(arguments: SDPText.fixtures)
  func givesEveryRealDescriptionBackByteForByte(fixture: (name: String, text: String)) throws {
    let description = try SessionDescription(parsing: fixture.text)
    #expect(description.text == fixture.text)
  }

  @Test func readsTheParts() throws {
    let offer = try SessionDescription(parsing: ChromiumConferenceOffer.text)
    #expect(offer.origin.sessionVersion == "2")
    #expect(offer.attributes.first("group") == "BUNDLE 0 1 2 3")
    #expect(offer.attributes.has("extmap-allow-mixed"))
    #expect(offer.media.map(\.media) == ["audio", "video", "audio", "application"])
    #expect(offer.media.map(\.mid) == ["0", "1", "2", "3"])
    #expect(offer.media[0].port == 9)
    #expect(offer.media[0].formats.first == "111")
    #expect(offer.media[3].transport == "UDP/DTLS/SCTP")
    #expect(offer.media[3].formats == ["webrtc-datachannel"])
    #expect(offer.media[0].lines == [.connectionByICE])
  }

  @Test func forgivesBareLineFeedsBlankLinesAndAMissingEnd() throws {
    let text = "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\n\nm=audio 4000/2 RTP/AVP 0 8\n\r\na=rtcp-mux\na=mid:x:y"
    let description = try SessionDescription(parsing: text)
    #expect(description.media[0].portCount == 2)
    #expect(description.media[0].attributes == [SDPAttribute("rtcp-mux"), SDPAttribute("mid", "x:y")])
  }

  static let head = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\n"

  @Test(arguments: [
    ("", 0, SDPError.Reason.empty),
    ("\r\n\r\n", 2, .empty),
    ("o=- 1 1 IN IP4 0.0.0.0\r\n", 1, .expected(type: "v")),
    ("v=1\r\n", 1, .unsupportedVersion),
    ("v=0\r\n", 1, .expected(type: "o")),
    ("v=0\r\ns=-\r\n", 2, .expected(type: "o")),
    ("v=0\r\no=- 1 1 IN IP4\r\n", 2, .malformedOrigin),
    ("v=0\r\no=- 1 1 IN IP4 a b\r\n", 2, .malformedOrigin),
    ("v=0\r\no=- 1 1 IN IP4 a\r\nt=0 0\r\n", 3, .expected(type: "s")),
    (head + "v=0\r\n", 4, .repeated(type: "v")),
    (head + "hello\r\n", 4, .notALine),
    (head + "A=b\r\n", 4, .notALine),
    (head + "a\r\n", 4, .notALine),
    (head + "a=\r\n", 4, .malformedAttribute),
    (head + "a=:x\r\n", 4, .malformedAttribute),
    (head + "a=x\u{0}y\r\n", 4, .controlCharacter),
    (head + "a=x\ra=y\r\n", 4, .controlCharacter),
    (head + "\r\nm=audio 9 RTP/AVP\r\n", 5, .malformedMedia),
    (head + "m=audio +9 RTP/AVP 0\r\n", 4, .malformedPort),
    (head + "m=audio 65536 RTP/AVP 0\r\n", 4, .malformedPort),
    (head + "m=audio 9/ RTP/AVP 0\r\n", 4, .malformedPort),
  ])
  func saysWhichLineIsWrong(text: String, line: Int, reason: SDPError.Reason) {
    let error = #expect(throws: SDPError.self) { try SessionDescription(parsing: text) }
    #expect(error == SDPError(line: line, reason: reason))
    #expect(error?.code == "sdp-malformed")
    #expect(error?.description.contains("SDP") == true)
  }

  @Test func refusesBytesThatAreNoUTF8() {
    let bytes = Array(Self.head.utf8) + Array("i=".utf8) + [0xC3, 0x28, 0x0A]
    let error = #expect(throws: SDPError.self) { try SDPParser.parse(bytes.span) }
    #expect(error == SDPError(line: 4, reason: .notUTF8))
  }

  @Test(arguments: [
    (String(repeating: "a=x\r\n", count: 257), SDPError.Reason.tooManyAttributes(limit: 256)),
    ("m=audio 9 X 0\r\n" + String(repeating: "a=x\r\n", count: 257), .tooManyAttributes(limit: 256)),
    (String(repeating: "m=audio 9 X 0\r\n", count: 9), .tooManyMediaSections(limit: 8)),
    (
      "m=audio 9 X 0\r\n" + String(repeating: "a=candidate:1\r\n", count: 33) + "m=audio 9 X 0\r\n"
        + String(repeating: "a=candidate:1\r\n", count: 32), .tooManyCandidates(limit: 64)
    ),
    ("m=audio 9 X" + String(repeating: " 0", count: 129) + "\r\n", .tooManyFormats(limit: 128)),
    (String(repeating: "b=AS:1\r\n", count: 33), .tooManyLines(limit: 32)),
    ("i=" + String(repeating: "x", count: 65_536), .tooManyBytes(limit: 65_536)),
  ])
  func refusesWhatIsTooLarge(rest: String, reason: SDPError.Reason) {
    let error = #expect(throws: SDPError.self) { try SessionDescription(parsing: Self.head + rest) }
    #expect(error?.reason == reason)
    #expect(error?.code == "sdp-too-large")
  }

  @Test func takesWhatIsJustSmallEnough() throws {
    let rest = String(repeating: "m=audio 9 X 0\r\n" + String(repeating: "a=x\r\n", count: 256), count: 8)
    #expect(try SessionDescription(parsing: Self.head + rest).media.count == 8)
    #expect(throws: SDPError.self, "one more") {
      try SessionDescription(parsing: Self.head + rest + "m=audio 9 X 0\r\n")
    }
  }

  @Test func errorsQuoteNothingOfTheDescription() throws {
    // A password in a torn line must not reach the log.
    let torn = Self.head + "m=audio 9 X 0\r\nice-pwd:topsecret\r\n"
    let error = try #require(throws: SDPError.self) { try SessionDescription(parsing: torn) }
    #expect(!error.description.contains("topsecret"))
  }

  /// A quadratic parser needs minutes for these in a debug build, a linear one milliseconds: the limit is no measurement.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      ("i=" + String(repeating: ":", count: 65_000), true), ("a=" + String(repeating: " ", count: 65_000), true),
      ("m=audio 9 X" + String(repeating: " ", count: 65_000), false), (String(repeating: "\n", count: 65_000), true),
      (
        String(repeating: "m=audio 9 X " + String(repeating: "1 ", count: 128) + "\r\n", count: 8)
          + String(repeating: "a=rtpmap:1 opus/48000/2\r\n", count: 256), true
      ),
    ])
  func theLargestDescriptionsAreReadOrRefusedInOnePass(rest: String, isRead: Bool) {
    let description = try? SessionDescription(parsing: Self.head + rest)
    #expect((description != nil) == isRead)
    guard let description else { return }
    #expect(throws: (any Error).self, "no description of a peer of ours") {
      try Negotiation.answer(
        to: description, role: .receiveFromPeer, transport: SDPText.transport, cname: "x", sessionID: 1)
    }
  }

  @Test func survivesEveryTruncation() {
    let bytes = Array(ChromiumDescriptions.publication.utf8)
    for length in 0..<bytes.count {
      let part = Array(bytes.prefix(length))
      let description = try? SDPParser.parse(part.span)
      // Three lines are the least that make a description.
      #expect(description == nil || length > 40)
    }
  }

  @Test func survivesRandomBytesAndDamagedDescriptions() throws {
    var noise = SeededRandom(7)
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...400, using: &noise)).map { _ in UInt8.random(in: 0...255, using: &noise) }
      _ = try? SDPParser.parse(bytes.span)
    }
    var read = 0
    for round in 0..<600 {
      let bytes = noise.damage(SDPText.fixtures[round % SDPText.fixtures.count].text)
      guard let description = try? SDPParser.parse(bytes.span) else { continue }
      read += 1
      // What was read can be written and read again, and is the same.
      #expect(try SessionDescription(parsing: description.text) == description)
    }
    #expect(read > 100)
  }
}
