/// Chromium 156 offering everything at once: audio, video, a second audio, a data channel.
enum ChromiumConferenceOffer {
  /// 7 KiB, four sections in one bundle.
  static let text = SDPText.wire(
    """
    v=0
    o=- 6937492253703288245 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0 1 2 3
    a=extmap-allow-mixed
    a=msid-semantic: WMS fea22604-7b64-4bf0-a2b2-cc8aed395850
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:zJ0l
    a=ice-pwd:P9sTMHaCHtjoPdih3Opips8t
    a=ice-options:trickle
    a=fingerprint:sha-256 30:9F:BB:1F:3B:90:0D:C8:90:A6:A2:61:71:30:40:A2:2E:46:CE:4C:3B:58:A8:65:C4:4B:48:86:97\
    :5B:ED:49
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
    a=ssrc:3160173548 cname:DCwGi4akliRUK2tZ
    a=ssrc:3160173548 msid:fea22604-7b64-4bf0-a2b2-cc8aed395850 ea5270cc-4ca7-4bb7-b4f6-7012c9adac25
    m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 104 107 108 109 114 115 116 117 39 40 45 46 98 99 100 101 118 119 \
    120
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:zJ0l
    a=ice-pwd:P9sTMHaCHtjoPdih3Opips8t
    a=ice-options:trickle
    a=fingerprint:sha-256 30:9F:BB:1F:3B:90:0D:C8:90:A6:A2:61:71:30:40:A2:2E:46:CE:4C:3B:58:A8:65:C4:4B:48:86:97\
    :5B:ED:49
    a=setup:actpass
    a=mid:1
    a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:13 urn:3gpp:video-orientation
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
    a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
    a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
    a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
    a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
    a=sendrecv
    a=msid:- e2f135b2-7049-449d-93a5-cfc15439a763
    a=rtcp-mux
    a=rtcp-rsize
    a=rtcp-xr:rcvr-rtt=all
    a=rtpmap:96 VP8/90000
    a=rtcp-fb:96 goog-remb
    a=rtcp-fb:96 transport-cc
    a=rtcp-fb:96 ccm fir
    a=rtcp-fb:96 nack
    a=rtcp-fb:96 nack pli
    a=rtpmap:97 rtx/90000
    a=fmtp:97 apt=96
    a=rtpmap:102 H264/90000
    a=rtcp-fb:102 goog-remb
    a=rtcp-fb:102 transport-cc
    a=rtcp-fb:102 ccm fir
    a=rtcp-fb:102 nack
    a=rtcp-fb:102 nack pli
    a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
    a=rtpmap:103 rtx/90000
    a=fmtp:103 apt=102
    a=rtpmap:104 H264/90000
    a=rtcp-fb:104 goog-remb
    a=rtcp-fb:104 transport-cc
    a=rtcp-fb:104 ccm fir
    a=rtcp-fb:104 nack
    a=rtcp-fb:104 nack pli
    a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f
    a=rtpmap:107 rtx/90000
    a=fmtp:107 apt=104
    a=rtpmap:108 H264/90000
    a=rtcp-fb:108 goog-remb
    a=rtcp-fb:108 transport-cc
    a=rtcp-fb:108 ccm fir
    a=rtcp-fb:108 nack
    a=rtcp-fb:108 nack pli
    a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
    a=rtpmap:109 rtx/90000
    a=fmtp:109 apt=108
    a=rtpmap:114 H264/90000
    a=rtcp-fb:114 goog-remb
    a=rtcp-fb:114 transport-cc
    a=rtcp-fb:114 ccm fir
    a=rtcp-fb:114 nack
    a=rtcp-fb:114 nack pli
    a=fmtp:114 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
    a=rtpmap:115 rtx/90000
    a=fmtp:115 apt=114
    a=rtpmap:116 H264/90000
    a=rtcp-fb:116 goog-remb
    a=rtcp-fb:116 transport-cc
    a=rtcp-fb:116 ccm fir
    a=rtcp-fb:116 nack
    a=rtcp-fb:116 nack pli
    a=fmtp:116 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f
    a=rtpmap:117 rtx/90000
    a=fmtp:117 apt=116
    a=rtpmap:39 H264/90000
    a=rtcp-fb:39 goog-remb
    a=rtcp-fb:39 transport-cc
    a=rtcp-fb:39 ccm fir
    a=rtcp-fb:39 nack
    a=rtcp-fb:39 nack pli
    a=fmtp:39 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f
    a=rtpmap:40 rtx/90000
    a=fmtp:40 apt=39
    a=rtpmap:45 AV1/90000
    a=rtcp-fb:45 goog-remb
    a=rtcp-fb:45 transport-cc
    a=rtcp-fb:45 ccm fir
    a=rtcp-fb:45 nack
    a=rtcp-fb:45 nack pli
    a=fmtp:45 level-idx=5;profile=0;tier=0
    a=rtpmap:46 rtx/90000
    a=fmtp:46 apt=45
    a=rtpmap:98 VP9/90000
    a=rtcp-fb:98 goog-remb
    a=rtcp-fb:98 transport-cc
    a=rtcp-fb:98 ccm fir
    a=rtcp-fb:98 nack
    a=rtcp-fb:98 nack pli
    a=fmtp:98 profile-id=0
    a=rtpmap:99 rtx/90000
    a=fmtp:99 apt=98
    a=rtpmap:100 VP9/90000
    a=rtcp-fb:100 goog-remb
    a=rtcp-fb:100 transport-cc
    a=rtcp-fb:100 ccm fir
    a=rtcp-fb:100 nack
    a=rtcp-fb:100 nack pli
    a=fmtp:100 profile-id=2
    a=rtpmap:101 rtx/90000
    a=fmtp:101 apt=100
    a=rtpmap:118 red/90000
    a=rtpmap:119 rtx/90000
    a=fmtp:119 apt=118
    a=rtpmap:120 ulpfec/90000
    a=ssrc-group:FID 198437001 36077776
    a=ssrc:198437001 cname:DCwGi4akliRUK2tZ
    a=ssrc:198437001 msid:- e2f135b2-7049-449d-93a5-cfc15439a763
    a=ssrc:36077776 cname:DCwGi4akliRUK2tZ
    a=ssrc:36077776 msid:- e2f135b2-7049-449d-93a5-cfc15439a763
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:zJ0l
    a=ice-pwd:P9sTMHaCHtjoPdih3Opips8t
    a=ice-options:trickle
    a=fingerprint:sha-256 30:9F:BB:1F:3B:90:0D:C8:90:A6:A2:61:71:30:40:A2:2E:46:CE:4C:3B:58:A8:65:C4:4B:48:86:97\
    :5B:ED:49
    a=setup:actpass
    a=mid:2
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
    a=sendrecv
    a=msid:- 668e8cb1-cfaa-45f8-b9c1-744821e69031
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
    a=ssrc:652193979 cname:DCwGi4akliRUK2tZ
    a=ssrc:652193979 msid:- 668e8cb1-cfaa-45f8-b9c1-744821e69031
    m=application 9 UDP/DTLS/SCTP webrtc-datachannel
    c=IN IP4 0.0.0.0
    a=ice-ufrag:zJ0l
    a=ice-pwd:P9sTMHaCHtjoPdih3Opips8t
    a=ice-options:trickle
    a=fingerprint:sha-256 30:9F:BB:1F:3B:90:0D:C8:90:A6:A2:61:71:30:40:A2:2E:46:CE:4C:3B:58:A8:65:C4:4B:48:86:97\
    :5B:ED:49
    a=setup:actpass
    a=mid:3
    a=sctp-port:5000
    a=max-message-size:262144
    """)
}
