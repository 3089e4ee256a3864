import Machines
import Realtime
import Testing

@Suite struct NegotiationOfferTests {
  static func offer(
    _ role: Negotiation.Role, preferences: AudioPreferences = AudioPreferences()
  ) -> SessionDescription {
    Negotiation.offer(
      role: role, transport: SDPText.transport, preferences: preferences, ssrc: role == .sendToPeer ? 77 : nil,
      cname: "guitar of Ana", sessionID: 9, version: 3)
  }

  @Test func offersToReceiveWithEverythingWeTake() {
    #expect(
      Self.offer(.receiveFromPeer).text
        == SDPText.wire(
          """
          v=0
          o=- 9 3 IN IP4 0.0.0.0
          s=-
          t=0 0
          a=group:BUNDLE 0
          m=audio 9 UDP/TLS/RTP/SAVPF 111 63
          c=IN IP4 0.0.0.0
          a=ice-ufrag:jamj
          a=ice-pwd:0123456789abcdefghijklmn
          a=ice-options:trickle
          a=fingerprint:\(SDPText.transport.fingerprint)
          a=setup:actpass
          a=candidate:1 1 UDP 2015363327 192.0.2.2 40000 typ host
          a=mid:0
          a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
          a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
          a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
          a=recvonly
          a=rtcp-mux
          a=rtcp-rsize
          a=rtpmap:111 opus/48000/2
          a=rtcp-fb:111 nack
          a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1;maxaveragebitrate=256000;cbr=1;usedtx=0
          a=rtpmap:63 red/48000/2
          a=fmtp:63 111/111
          a=ptime:10
          """))
  }

  @Test func anOfferToSendNamesItsStream() {
    let section = Self.offer(.sendToPeer).media[0].attributes
    #expect(section.first("msid") == "guitar-of-Ana guitar-of-Ana-audio")
    #expect(section.all("ssrc") == ["77 cname:guitarofAna", "77 msid:guitar-of-Ana guitar-of-Ana-audio"])
  }

  @Test(arguments: [Negotiation.Role.receiveFromPeer, .sendToPeer])
  func ourTwoSidesAgree(role: Negotiation.Role) throws {
    // The offerer's role, and the answerer's, who sees it from the other end.
    let other: Negotiation.Role = role == .sendToPeer ? .receiveFromPeer : .sendToPeer
    let preferences = AudioPreferences(maxAverageBitrate: 128_000, packetTime: .milliseconds(20), offersRED: true)
    let offer = try SessionDescription(parsing: Self.offer(role).text)
    let (answer, answerer) = try Negotiation.answer(
      to: offer, role: other, transport: SDPText.transport, preferences: preferences, ssrc: 5, cname: "b", sessionID: 1)
    let offerer = try Negotiation.accept(
      answer: SessionDescription(parsing: answer.text), to: offer, role: role)
    #expect(offerer.dtlsRole == .client)
    #expect(answerer.dtlsRole == .server)
    #expect(offerer.direction == (role == .sendToPeer ? .sendOnly : .receiveOnly))
    #expect(answerer.direction == (role == .sendToPeer ? .receiveOnly : .sendOnly))
    #expect(offerer.extensions == answerer.extensions)
    #expect(offerer.extensions == NegotiatedSession.ExtensionIDs(mid: 4, audioLevel: 1, absoluteCaptureTime: 2))
    #expect(offerer.opusPayloadType == answerer.opusPayloadType)
    #expect(offerer.redPayloadType == 63)
    #expect(offerer.nackAgreed && answerer.nackAgreed)
    #expect(offerer.reducedSizeRTCP && answerer.reducedSizeRTCP)
    #expect(offerer.remoteSendsStereo && answerer.remoteSendsStereo)
    #expect(offerer.remotePrefersRED)
    #expect(offerer.remoteOpus.maximumAverageBitrate == 128_000)
    #expect(offerer.remotePacketTime == .milliseconds(20))
    #expect(offerer.remoteSSRC == (role == .receiveFromPeer ? 5 : nil))
    #expect(answerer.remoteSSRC == (role == .sendToPeer ? 77 : nil))
    #expect(offerer.remoteCandidates == ["candidate:1 1 UDP 2015363327 192.0.2.2 40000 typ host"])
  }

  @Test func acceptsChromiumsAnswers() throws {
    let sends = try Negotiation.accept(
      answer: SessionDescription(parsing: ChromiumDescriptions.answerThatSends), to: Self.offer(.receiveFromPeer),
      role: .receiveFromPeer)
    #expect(sends.dtlsRole == .server)
    #expect(sends.extensions == NegotiatedSession.ExtensionIDs(mid: 4, audioLevel: 1, absoluteCaptureTime: 2))
    #expect(sends.redPayloadType == 63)
    // Chromium never says nack for audio, and answers it all the same.
    #expect(!sends.nackAgreed)
    #expect(sends.remoteSSRC != nil)
    let receives = try Negotiation.accept(
      answer: SessionDescription(parsing: ChromiumDescriptions.answerThatReceives), to: Self.offer(.sendToPeer),
      role: .sendToPeer)
    #expect(receives.direction == .sendOnly)
  }

  @Test func acceptsAiortcsAnswers() throws {
    let sends = try Negotiation.accept(
      answer: SessionDescription(parsing: NativeDescriptions.aiortcAnswerThatSends), to: Self.offer(.receiveFromPeer),
      role: .receiveFromPeer)
    #expect(sends.remoteFingerprints.count == 3)
    #expect(sends.redPayloadType == nil)
    #expect(sends.remoteCandidatesComplete)
    let receives = try Negotiation.accept(
      answer: SessionDescription(parsing: NativeDescriptions.aiortcAnswerThatReceives), to: Self.offer(.sendToPeer),
      role: .sendToPeer)
    #expect(receives.dtlsRole == .server)
  }

  /// Somebody who hears nothing, or has no microphone.
  @Test(arguments: [("a=sendonly", NegotiatedSession.Direction.receiveOnly), ("a=recvonly", .sendOnly)])
  func halfOfAnExchangeMayBeDeclined(line: String, direction: NegotiatedSession.Direction) throws {
    let offer = Self.offer(.exchangeWithPeer)
    let answer = SDPText.replacing("a=sendonly", with: line, in: Self.good)
    let session = try Negotiation.accept(
      answer: SessionDescription(parsing: answer), to: offer, role: .exchangeWithPeer)
    #expect(session.direction == direction)
    let nothing = SDPText.replacing("a=sendonly", with: "a=inactive", in: Self.good)
    #expect(throws: NegotiationError.directionMismatch(role: .exchangeWithPeer, found: .inactive)) {
      try Negotiation.accept(answer: SessionDescription(parsing: nothing), to: offer, role: .exchangeWithPeer)
    }
  }

  static let good = ChromiumDescriptions.answerThatSends

  @Test(arguments: [
    (good + "m=video 0 UDP/TLS/RTP/SAVPF 96\r\n", NegotiationError.sectionCount(offered: 1, answered: 2)),
    (SDPText.replacing("a=mid", with: "a=mid:audio", in: good), .sectionMismatch(section: 1)),
    (SDPText.replacing("m=audio", with: "m=video 9 UDP/TLS/RTP/SAVPF 111", in: good), .sectionMismatch(section: 1)),
    (SDPText.replacing("m=audio", with: "m=audio 9 RTP/AVP 111", in: good), .sectionMismatch(section: 1)),
    (SDPText.replacing("m=audio", with: "m=audio 0 UDP/TLS/RTP/SAVPF 111", in: good), .audioRefused),
    (SDPText.without("a=rtpmap:111", in: good), .noOpus),
    (
      SDPText.replacing("a=sendonly", with: "a=recvonly", in: good),
      .directionMismatch(role: .receiveFromPeer, found: .receiveOnly)
    ),
    (
      SDPText.replacing(
        "a=rtpmap:111", with: "a=rtpmap:96 opus/48000/2",
        in: SDPText.replacing("m=audio", with: "m=audio 9 UDP/TLS/RTP/SAVPF 96", in: good)),
      .payloadTypeMoved(offered: 111, answered: 96)
    ),
    (SDPText.without("a=rtcp-mux", in: good), .noRTCPMux),
    (SDPText.replacing("a=setup", with: "a=setup:actpass", in: good), .setupConflict(.noRoleInAnswer)),
    (SDPText.without("a=fingerprint", in: good), .noFingerprint(onlyWeak: false)),
    (SDPText.without("a=ice-ufrag", in: good), .noICECredentials),
  ])
  func refusesAnAnswerThatDoesNotMatch(answer: String, expected: NegotiationError) {
    let error = #expect(throws: NegotiationError.self) {
      try Negotiation.accept(
        answer: SessionDescription(parsing: answer), to: Self.offer(.receiveFromPeer), role: .receiveFromPeer)
    }
    #expect(error == expected)
  }

  @Test func anExtensionThatMovedIsNotTaken() throws {
    let answer = SDPText.replacing(
      "a=extmap:4", with: "a=extmap:5 urn:ietf:params:rtp-hdrext:sdes:mid", in: Self.good)
    let session = try Negotiation.accept(
      answer: SessionDescription(parsing: answer), to: Self.offer(.receiveFromPeer), role: .receiveFromPeer)
    #expect(session.extensions == NegotiatedSession.ExtensionIDs(audioLevel: 1, absoluteCaptureTime: 2))
  }
}
