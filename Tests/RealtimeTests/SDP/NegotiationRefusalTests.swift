import Realtime
import Testing

@Suite struct NegotiationRefusalTests {
  static let offer = ChromiumDescriptions.publication
  static let sha1 = "a=fingerprint:sha-1 " + (0..<20).map { _ in "AB" }.joined(separator: ":")

  @Test(arguments: [
    (SDPText.replacing("m=audio", with: "m=video 9 UDP/TLS/RTP/SAVPF 111", in: offer), NegotiationError.noAudio),
    (SDPText.replacing("m=audio", with: "m=audio 0 UDP/TLS/RTP/SAVPF 111", in: offer), .noAudio),
    (SDPText.replacing("m=audio", with: "m=audio 9 RTP/AVP 111", in: offer), .noDTLS),
    (SDPText.replacing("m=audio", with: "m=audio 9 UDP/TLS/RTP/SAVPF 0 8", in: offer), .noOpus),
    (SDPText.replacing("a=rtpmap:111", with: "a=rtpmap:111 opus/48000", in: offer), .noOpus),
    (SDPText.replacing("a=rtpmap:111", with: "a=rtpmap:111 opus/16000/2", in: offer), .noOpus),
    (SDPText.without("a=rtpmap:111", in: offer), .noOpus),
    (SDPText.without("a=rtcp-mux", in: offer), .noRTCPMux),
    (SDPText.without("a=ice-ufrag", in: offer), .noICECredentials),
    (SDPText.without("a=ice-pwd", in: offer), .noICECredentials),
    (SDPText.replacing("a=ice-ufrag", with: "a=ice-ufrag:abc", in: offer), .malformedICECredentials),
    (SDPText.replacing("a=ice-pwd", with: "a=ice-pwd:tooshort", in: offer), .malformedICECredentials),
    (
      SDPText.replacing("a=ice-pwd", with: "a=ice-pwd:blanks are no good here at all", in: offer),
      .malformedICECredentials
    ),
    (SDPText.without("a=fingerprint", in: offer), .noFingerprint(onlyWeak: false)),
    (SDPText.replacing("a=fingerprint", with: sha1, in: offer), .noFingerprint(onlyWeak: true)),
    (
      SDPText.replacing("a=sendrecv", with: "a=recvonly", in: offer),
      .directionMismatch(role: .receiveFromPeer, found: .receiveOnly)
    ),
    (
      SDPText.replacing("a=sendrecv", with: "a=inactive", in: offer),
      .directionMismatch(role: .receiveFromPeer, found: .inactive)
    ),
    (SDPText.replacing("a=setup", with: "a=setup:holdconn", in: offer), .setupConflict(.noRoleInOffer)),
    (SDPText.replacing("a=setup", with: "a=setup:perhaps", in: offer), .setupConflict(.noRoleInOffer)),
    (ChromiumConferenceOffer.text + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:2\r\n", .repeatedMid),
  ])
  func saysWhatIsWrongAndWhatWouldBeRight(offer: String, expected: NegotiationError) {
    let error = #expect(throws: NegotiationError.self) { try SDPText.answer(offer) }
    #expect(error == expected)
    // A sentence of some length that ends like one, and a code for machines.
    #expect((error?.description.count ?? 0) > 40)
    #expect(error?.description.hasSuffix(".") == true)
    #expect(error?.code.allSatisfy { $0.isLowercase || $0 == "-" } == true)
  }

  @Test func aSubscriberMustReceive() {
    let offer = SDPText.replacing("a=sendrecv", with: "a=sendonly", in: Self.offer)
    let error = #expect(throws: NegotiationError.self) { try SDPText.answer(offer, role: .sendToPeer) }
    #expect(error == .directionMismatch(role: .sendToPeer, found: .sendOnly))
  }

  @Test func payloadTypesThatLookLikeRTCPAreNotTaken() {
    // 72 with the marker bit is 200, a sender report.
    let offer = ["m=audio 9 UDP/TLS/RTP/SAVPF 72", "a=rtpmap:72 opus/48000/2"]
    let text = SDPText.replacing(
      "a=rtpmap:111", with: offer[1], in: SDPText.replacing("m=audio", with: offer[0], in: Self.offer))
    let error = #expect(throws: NegotiationError.self) { try SDPText.answer(text) }
    #expect(error == .noOpus)
  }

  @Test func aKnownFingerprintBesideAWeakOneIsEnough() throws {
    let session = try SDPText.answer(Self.offer + Self.sha1 + "\r\n").session
    #expect(session.remoteFingerprints.map(\.algorithm) == [.sha256])
  }
}
