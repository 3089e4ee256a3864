/// Offers in the shape of other browsers, written down from their habits (not captured).
enum BrowserDescriptions {
  /// Fingerprint, ICE options and a default direction in the session part; no rtcp-rsize.
  static let firefox = SDPText.wire(
    """
    v=0
    o=mozilla...THIS_IS_SDPARTA-132.0 4611731400430051336 0 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=sendrecv
    a=fingerprint:sha-256 1B:5E:7A:8C:09:D2:3F:44:A1:90:6B:CE:77:12:E8:5D:30:F4:9A:66:B7:2C:81:0E:D9:53:4F:A8:16\
    :C0:7B:E2
    a=group:BUNDLE 0
    a=ice-options:trickle
    a=msid-semantic:WMS *
    m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
    c=IN IP4 0.0.0.0
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
    a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
    a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
    a=fmtp:101 0-15
    a=ice-pwd:4f1c0a7be29d6358a0b4c7d91e3f5a62
    a=ice-ufrag:9c41d7e0
    a=mid:0
    a=msid:{6a1f3b7c-95e2-4d08-8c1b-2f7e0d94a651} {c0d8e5f2-17ab-4396-b1e4-7a5c3f9028de}
    a=rtcp-mux
    a=rtpmap:109 opus/48000/2
    a=rtpmap:9 G722/8000/1
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:101 telephone-event/8000
    a=setup:actpass
    a=ssrc:2841093377 cname:{0f9b62ad-7c11-4e80-95d3-b84a6e21c7f5}
    """)

  /// Like Chromium, with an mDNS candidate inside.
  static let safari = SDPText.wire(
    """
    v=0
    o=- 6216345873001229381 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=extmap-allow-mixed
    a=msid-semantic: WMS 1d7c0f65-2b1e-47a6-8f3f-5b0c9e1a7d24
    m=audio 54609 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=candidate:2827340171 1 udp 2113937151 6a0f2c9e-1d7b-4b58-93c4-0e5f7a8b1c2d.local 54609 typ host generation\
     0 network-cost 999
    a=ice-ufrag:Zk3P
    a=ice-pwd:8tR0vYb1xq5mNsLJ2wHcGfE7
    a=ice-options:trickle
    a=fingerprint:sha-256 C4:19:7F:E3:5A:08:B6:D1:2E:94:63:FB:80:47:AC:1D:F5:32:6E:C9:0B:78:D4:A7:51:EF:26:9C:3D\
    :8A:60:B2
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:1d7c0f65-2b1e-47a6-8f3f-5b0c9e1a7d24 f2b96a08-4c3d-4e17-a590-d61c8e7f3b4a
    a=rtcp-mux
    a=rtcp-rsize
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
    a=ssrc:1466290313 cname:wTq8Yd1mR0vXk2Zs
    a=ssrc:1466290313 msid:1d7c0f65-2b1e-47a6-8f3f-5b0c9e1a7d24 f2b96a08-4c3d-4e17-a590-d61c8e7f3b4a
    """)
}
