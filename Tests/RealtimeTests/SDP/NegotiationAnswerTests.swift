import Realtime
import TestSupport
import Testing

@Suite struct NegotiationAnswerTests {
  @Test func answersChromiumsPublication() throws {
    let (answer, session) = try SDPText.answer(ChromiumDescriptions.publication)
    #expect(
      answer.text
        == SDPText.wire(
          """
          v=0
          o=- 42 1 IN IP4 0.0.0.0
          s=-
          t=0 0
          a=group:BUNDLE 0
          m=audio 9 UDP/TLS/RTP/SAVPF 111 63
          c=IN IP4 0.0.0.0
          a=ice-ufrag:jamj
          a=ice-pwd:0123456789abcdefghijklmn
          a=ice-options:trickle
          a=fingerprint:\(SDPText.transport.fingerprint)
          a=setup:passive
          a=candidate:1 1 UDP 2015363327 192.0.2.2 40000 typ host
          a=mid:0
          a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
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
    #expect(session.remoteCredentials.usernameFragment == "72FE")
    #expect(session.remoteFingerprints.map(\.algorithm) == [.sha256])
    #expect(session.dtlsRole == .server)
    #expect(session.mid == "0")
    #expect(session.direction == .receiveOnly)
    #expect(session.opusPayloadType == 111)
    #expect(session.redPayloadType == 63)
    #expect(session.extensions == NegotiatedSession.ExtensionIDs(mid: 4, audioLevel: 1))
    #expect(session.reducedSizeRTCP)
    #expect(!session.nackAgreed)
    #expect(!session.remotePrefersRED)
    #expect(session.remoteTrickles)
    #expect(session.remoteSSRC == 1_037_658_216)
  }

  @Test func answersChromiumsSubscription() throws {
    let (answer, session) = try SDPText.answer(ChromiumDescriptions.subscription, role: .sendToPeer)
    let section = answer.media[0].attributes
    #expect(section.has("sendonly"))
    #expect(section.first("msid") == "jamjar jamjar-audio")
    #expect(section.all("ssrc") == ["1234 cname:jamjar", "1234 msid:jamjar jamjar-audio"])
    #expect(session.direction == .sendOnly)
    #expect(session.remoteSSRC == nil)
  }

  @Test func takesOneAudioSectionAndRefusesTheRest() throws {
    let (answer, session) = try SDPText.answer(ChromiumConferenceOffer.text)
    #expect(answer.media.map(\.port) == [9, 0, 0, 0])
    #expect(answer.media.map(\.mid) == ["0", "1", "2", "3"])
    #expect(answer.media[1].transport == "UDP/TLS/RTP/SAVPF")
    #expect(answer.media[1].formats == ["96"])
    #expect(answer.media[3].media == "application")
    #expect(answer.media[3].transport == "UDP/DTLS/SCTP")
    #expect(answer.media[3].formats == ["webrtc-datachannel"])
    #expect(answer.attributes.all("group") == ["BUNDLE 0"])
    #expect(session.mediaIndex == 0)
  }

  @Test func takesTheFirstSectionThatFlowsItsWay() throws {
    let offer =
      ChromiumDescriptions.subscription
      + SDPText.wire(
        """
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        a=mid:1
        a=sendonly
        a=rtcp-mux
        a=ice-ufrag:abcd
        a=ice-pwd:0123456789012345678901
        a=fingerprint:\(SDPText.transport.fingerprint)
        a=rtpmap:111 opus/48000/2
        """)
    let (answer, session) = try SDPText.answer(offer)
    #expect(answer.media.map(\.port) == [0, 9])
    #expect(session.mid == "1")
    #expect(session.mediaIndex == 1)
    // Section 1 is in no bundle here, so the answer has none.
    #expect(!answer.attributes.has("group"))
  }

  @Test func answersFirefoxWhoseTransportStandsInTheSessionPart() throws {
    let (answer, session) = try SDPText.answer(BrowserDescriptions.firefox)
    #expect(session.opusPayloadType == 109)
    #expect(session.remoteFingerprints.count == 1)
    #expect(session.remoteTrickles)
    #expect(session.extensions == NegotiatedSession.ExtensionIDs(mid: 3, audioLevel: 1))
    #expect(session.remoteOpus.prefersStereo)
    #expect(session.redPayloadType == nil)
    #expect(!answer.media[0].attributes.has("rtcp-rsize"))
    #expect(answer.media[0].formats == ["109"])
  }

  @Test func answersSafariAndKeepsItsHiddenCandidate() throws {
    let session = try SDPText.answer(BrowserDescriptions.safari).session
    let candidate = try ICECandidate(parsing: #require(session.remoteCandidates.first))
    #expect(candidate.isMDNS)
    #expect(!session.remoteCandidatesComplete)
  }

  @Test func answersAiortcWithThreeFingerprintsAndNoTrickle() throws {
    let session = try SDPText.answer(NativeDescriptions.aiortcOffer).session
    #expect(session.remoteFingerprints.map(\.algorithm) == [.sha256, .sha384, .sha512])
    #expect(session.remoteCandidates.count == 2)
    #expect(session.remoteCandidates.allSatisfy { $0.hasPrefix("candidate:") })
    #expect(session.remoteCandidatesComplete)
    #expect(!session.remoteTrickles)
    #expect(session.opusPayloadType == 96)
    #expect(session.extensions == NegotiatedSession.ExtensionIDs(mid: 1, audioLevel: 2))
  }

  @Test func answersGStreamerWhoWritesOpusInCapitals() throws {
    let (answer, session) = try SDPText.answer(NativeDescriptions.gstreamer)
    #expect(session.opusPayloadType == 97)
    #expect(session.mid == "audio0")
    #expect(session.remoteSendsStereo)
    #expect(session.remoteOpus.sendsStereo)
    #expect(answer.attributes.first("group") == "BUNDLE audio0")
  }

  @Test(arguments: SDPText.fixtures)
  func neverTakesWhatBringsPaddingPackets(fixture: (name: String, text: String)) throws {
    let role: Negotiation.Role = fixture.text.contains("a=recvonly") ? .sendToPeer : .receiveFromPeer
    let text = try SDPText.answer(fixture.text, role: role).answer.text
    #expect(!text.contains("transport-cc"))
    #expect(!text.contains("abs-send-time"))
    #expect(!text.contains("transport-wide"))
  }

  @Test func redComesFirstOnlyWhenWished() throws {
    let preferences = AudioPreferences(offersRED: true)
    let section = try SDPText.answer(ChromiumDescriptions.publication, preferences: preferences).answer.media[0]
    #expect(section.formats == ["63", "111"])
  }

  @Test func redOfAnotherCodecIsLeftOut() throws {
    let offer = SDPText.replacing("a=fmtp:63", with: "a=fmtp:63 111/0", in: ChromiumDescriptions.publication)
    let (answer, session) = try SDPText.answer(offer)
    #expect(session.redPayloadType == nil)
    #expect(answer.media[0].formats == ["111"])
  }

  @Test func extensionsKeepTheOffersIDsIfValid() throws {
    let offer =
      SDPText.without("a=extmap:", in: ChromiumDescriptions.publication)
      + SDPText.wire(
        """
        a=extmap:15 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:9/sendonly http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
        a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:0 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:7/recvonly urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:14 urn:ietf:params:rtp-hdrext:ssrc-audio-level vad=on
        """)
    let (answer, session) = try SDPText.answer(offer)
    #expect(session.extensions == NegotiatedSession.ExtensionIDs(audioLevel: 14, absoluteCaptureTime: 9))
    #expect(
      answer.media[0].attributes.all("extmap") == [
        "9 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time",
        "14 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
      ])
  }

  @Test func aSectionWithoutMidGetsNoneAndNoBundle() throws {
    let offer = SDPText.without("a=mid:", "a=group:", in: ChromiumDescriptions.publication)
    let (answer, session) = try SDPText.answer(offer)
    #expect(answer.media[0].mid == nil)
    #expect(!answer.attributes.has("group"))
    #expect(session.mid == "0")
  }

  @Test func aBundledSectionTakesTheTransportOfTheBundlesFirst() throws {
    let text = SDPText.wire(
      """
      v=0
      o=- 1 1 IN IP4 0.0.0.0
      s=-
      a=group:BUNDLE v a
      m=video 9 UDP/TLS/RTP/SAVPF 96
      a=mid:v
      a=ice-ufrag:abcd
      a=ice-pwd:0123456789012345678901
      a=fingerprint:\(SDPText.transport.fingerprint)
      a=setup:actpass
      m=audio 0 UDP/TLS/RTP/SAVPF 111
      a=mid:a
      a=bundle-only
      a=rtcp-mux
      a=rtpmap:111 opus/48000/2
      """)
    let (answer, session) = try SDPText.answer(text)
    #expect(answer.media.map(\.port) == [0, 9])
    #expect(answer.attributes.first("group") == "BUNDLE a")
    #expect(session.remoteCredentials.usernameFragment == "abcd")
  }

  @Test func everyAnswerToDamagedOffersCanBeRead() throws {
    var noise = SeededRandom(11)
    var answered = 0
    for round in 0..<600 {
      let bytes = noise.damage(SDPText.fixtures[round % SDPText.fixtures.count].text)
      guard let offer = try? SDPParser.parse(bytes.span) else { continue }
      for role in [Negotiation.Role.receiveFromPeer, .sendToPeer] {
        guard
          let result = try? Negotiation.answer(
            to: offer, role: role, transport: SDPText.transport, cname: "x", sessionID: 1)
        else { continue }
        answered += 1
        #expect(try SessionDescription(parsing: result.answer.text) == result.answer)
        #expect(result.answer.media.count == offer.media.count)
      }
    }
    #expect(answered > 100)
  }
}
