/// Descriptions captured from Chromium 156, headless, with a Web Audio track.
enum ChromiumDescriptions {
  /// `addTrack` of one audio track, then `createOffer`.
  static let publication = SDPText.wire(
    """
    v=0
    o=- 8519606004133514137 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=extmap-allow-mixed
    a=msid-semantic: WMS fea22604-7b64-4bf0-a2b2-cc8aed395850
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:72FE
    a=ice-pwd:7lgiTdtQcttszz0IulivxFfu
    a=ice-options:trickle
    a=fingerprint:sha-256 25:88:B6:C1:6B:D5:0F:0E:50:16:88:2A:93:31:2E:CB:B7:F9:4C:8B:AA:13:B4:DC:3A:86:14:E9:CA\
    :3A:8A:AF
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:fea22604-7b64-4bf0-a2b2-cc8aed395850 ea5270cc-4ca7-4bb7-b4f6-7012c9adac25
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    a=ssrc:1037658216 cname:OUbcO4Zc471PACkV
    a=ssrc:1037658216 msid:fea22604-7b64-4bf0-a2b2-cc8aed395850 ea5270cc-4ca7-4bb7-b4f6-7012c9adac25
    """)

  /// `addTransceiver("audio", { direction: "recvonly" })`.
  static let subscription = SDPText.wire(
    """
    v=0
    o=- 6601604050101822104 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=extmap-allow-mixed
    a=msid-semantic: WMS
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:i3QW
    a=ice-pwd:3oVQjJPRIuZ7R+oa0lXCwiD+
    a=ice-options:trickle
    a=fingerprint:sha-256 64:D4:FA:60:FE:9F:0A:3B:5C:05:78:FB:51:4F:81:8D:88:5E:6A:A3:55:4E:76:F7:94:BC:00:22:C8\
    :6B:3B:C7
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    """)

  /// The answer to our offer of `.receiveFromPeer`, the transceiver set to sendonly.
  static let answerThatSends = SDPText.wire(
    """
    v=0
    o=- 1437264483276991092 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=msid-semantic: WMS
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:v6AX
    a=ice-pwd:koTFbtBz6tmWEck3Sq1DPmgD
    a=ice-options:trickle
    a=fingerprint:sha-256 08:26:58:CC:03:B9:29:24:40:DA:2F:48:43:49:14:7C:BD:E0:17:FF:4F:5C:DC:3C:F4:26:F2:10:EB\
    :43:96:7D
    a=setup:active
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
    a=sendonly
    a=msid:- 39e90cd3-e267-4bdd-8902-d4a4251e6a82
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=ssrc:1754404245 cname:UimDIZgBdXJsrrFP
    """)

  /// The answer to our offer of `.sendToPeer`.
  static let answerThatReceives = SDPText.wire(
    """
    v=0
    o=- 7117488235081323812 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=msid-semantic: WMS
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:HM3s
    a=ice-pwd:wVrKYdTJurJPT0iOTkrOfjrF
    a=ice-options:trickle
    a=fingerprint:sha-256 B4:63:05:AC:6A:36:A9:F5:B3:B6:FE:80:F2:F5:B2:6D:3C:48:3B:8B:A0:76:B1:9C:92:CD:4B:A4:63\
    :46:C2:29
    a=setup:active
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time
    a=recvonly
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    """)
}
