/// Descriptions captured from peers that are no browsers.
enum NativeDescriptions {
  /// aiortc 1.16: three fingerprints, all candidates inside, no trickle, payload type 96.
  static let aiortcOffer = SDPText.wire(
    """
    v=0
    o=- 4004219617 4004219617 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=msid-semantic:WMS *
    m=audio 53641 UDP/TLS/RTP/SAVPF 96 9 0 8
    c=IN IP4 192.0.2.2
    a=sendrecv
    a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:2 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=mid:0
    a=msid:7f9f7a7b-4252-49fa-b8c4-598943205608 b20d12f9-d25d-4470-8338-657dd47d052c
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:3512604050 cname:57864e21-28e9-4a95-a42c-860f2d529a47
    a=rtpmap:96 opus/48000/2
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 53641 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 53259 typ host
    a=end-of-candidates
    a=ice-ufrag:AmAm
    a=ice-pwd:84MBUK6xg7VCdXmVHITkOZ
    a=fingerprint:sha-256 E7:AA:8F:86:07:8D:49:CB:84:50:67:4F:E8:8A:9C:60:E0:01:DA:7E:BF:F5:41:48:76:67:04:F8:68\
    :90:85:06
    a=fingerprint:sha-384 05:24:A5:E6:93:66:04:8B:9B:BA:AE:E6:88:5C:DF:1D:A0:3C:CB:42:55:73:FF:29:71:1F:3B:BA:7D\
    :19:F3:78:7B:01:D5:A4:0D:BA:54:87:41:5A:6E:D3:1B:79:EE:C4
    a=fingerprint:sha-512 30:71:8D:93:16:EC:89:83:C0:C5:C1:CB:8F:AC:08:90:25:D3:E4:E3:8B:B4:CA:57:39:99:0A:75:9F\
    :0E:A9:8C:E8:6D:F8:92:85:7E:52:A5:13:F1:DE:B0:3E:9E:76:78:46:AC:D4:29:3B:25:7A:DB:77:BE:7D:28:D7:52:B4:92
    a=setup:actpass
    """)

  /// aiortc 1.16 answering our offer of `.receiveFromPeer`.
  static let aiortcAnswerThatSends = SDPText.wire(
    """
    v=0
    o=- 4004220458 4004220458 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=msid-semantic:WMS *
    m=audio 45445 UDP/TLS/RTP/SAVPF 111
    c=IN IP4 192.0.2.2
    a=sendonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=mid:0
    a=msid:00545bdf-5c2b-4c55-93be-9a0fdca50aea fd339cc0-625a-4515-9a10-3de2b1924fd1
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:1320445688 cname:e7f189e6-af21-48ed-b74b-d51d4dbe7669
    a=rtpmap:111 opus/48000/2
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 45445 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 41886 typ host
    a=end-of-candidates
    a=ice-ufrag:rTzn
    a=ice-pwd:oETDYiQwdmsuUtkQ7YbafG
    a=fingerprint:sha-256 B4:BC:2A:FA:84:97:5E:95:E6:02:8C:D4:23:8F:BA:DF:7A:6A:FC:A6:83:E0:A7:32:DE:5B:F9:03:8C\
    :3C:10:89
    a=fingerprint:sha-384 1D:7D:6F:00:FC:5E:DB:F9:4C:18:E1:6A:F1:C1:81:E5:EF:73:6C:B6:92:A1:15:7B:AF:29:08:AF:A0\
    :3D:D1:ED:1B:AF:A0:BE:9F:1F:24:C2:58:F6:75:34:96:BE:79:D1
    a=fingerprint:sha-512 07:CA:EA:6B:67:DA:78:0E:75:AE:2A:4D:46:B8:19:13:69:D5:5F:83:0B:48:4C:FC:22:90:DD:AB:38\
    :23:5D:B3:2B:5D:63:B6:ED:81:DA:95:92:28:EB:0B:68:07:A6:E9:ED:1A:12:5D:D9:1A:B9:FF:78:87:E6:4D:9B:D0:20:DA
    a=setup:active
    """)

  /// aiortc 1.16 answering our offer of `.sendToPeer`.
  static let aiortcAnswerThatReceives = SDPText.wire(
    """
    v=0
    o=- 4004220458 4004220458 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=msid-semantic:WMS *
    m=audio 52391 UDP/TLS/RTP/SAVPF 111
    c=IN IP4 192.0.2.2
    a=recvonly
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=mid:0
    a=msid:c9e8843b-0c32-4052-852e-d9cce1e4ea04 97105d6d-256d-4884-9128-3ef0527e8cf2
    a=rtcp:9 IN IP4 0.0.0.0
    a=rtcp-mux
    a=ssrc:34567658 cname:9a2606b8-1741-4842-8f58-1a14616b52e1
    a=rtpmap:111 opus/48000/2
    a=candidate:f957a2332b1715da3b0ef8ba684454eb 1 udp 2130706431 192.0.2.2 52391 typ host
    a=candidate:d0bcf3d9c29a2bc887618212a1623bfa 1 udp 2130706431 fd00::2 46251 typ host
    a=end-of-candidates
    a=ice-ufrag:Lpui
    a=ice-pwd:PxN687ZmkXyCU43yVd2pEP
    a=fingerprint:sha-256 32:8F:CD:88:93:A8:3F:03:12:8C:35:26:D2:5C:A4:48:56:A1:4D:12:15:7F:15:29:2B:32:E0:AB:96\
    :D9:81:25
    a=fingerprint:sha-384 E5:60:1D:7E:5E:68:97:C7:8B:0A:1D:C6:B9:5D:16:9C:21:E3:09:5D:29:42:F0:C1:55:4D:2F:9C:51\
    :74:6A:8E:91:6E:25:B3:45:D0:8F:64:64:45:69:DC:95:02:0D:77
    a=fingerprint:sha-512 CB:F6:B1:FF:31:07:D4:2A:97:91:2C:8C:08:0F:2E:2F:FC:59:3C:21:6B:8C:8C:05:47:30:48:26:C3\
    :D9:36:4D:1C:19:5F:81:97:C1:0B:C6:60:48:AD:E9:A1:D2:06:FF:53:03:56:18:0D:54:44:89:92:BE:E5:74:1D:6B:B6:0B
    a=setup:active
    """)

  /// GStreamer's webrtcbin with opusenc: capital OPUS, a mid of its own, transport-cc.
  static let gstreamer = SDPText.wire(
    """
    v=0
    o=- 9197944282850272348 0 IN IP4 0.0.0.0
    s=-
    t=0 0
    a=ice-options:trickle
    a=group:BUNDLE audio0
    m=audio 9 UDP/TLS/RTP/SAVPF 97
    c=IN IP4 0.0.0.0
    a=setup:actpass
    a=ice-ufrag:5FaPn3DOsJz3q4BZLHdwnKqqxxR9M9F3
    a=ice-pwd:jpuFS1h/amGKgFx3rV8EbwDd4xL32KBB
    a=rtcp-mux
    a=rtcp-rsize
    a=sendrecv
    a=rtpmap:97 OPUS/48000/2
    a=rtcp-fb:97 transport-cc
    a=fmtp:97 sprop-stereo=1;sprop-maxcapturerate=48000
    a=ssrc:241353293 msid:user831926645@host-13ff9848 webrtctransceiver0
    a=ssrc:241353293 cname:user831926645@host-13ff9848
    a=mid:audio0
    a=fingerprint:sha-256 D8:FA:CE:97:2E:88:16:80:B1:80:64:1E:64:F1:1E:EC:AB:11:8C:24:DF:63:FE:9B:65:25:75:0D:A7\
    :D6:DF:80
    a=rtcp-mux-only
    """)
}
