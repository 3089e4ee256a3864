/// Offers as WHIP and WHEP clients make them.
enum Offers {
  static func sending(_ direction: String = "sendonly", userFragment: String = "abcd") -> String {
    [
      "v=0", "o=- 4611731400430051336 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
      "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=rtcp:9 IN IP4 0.0.0.0",
      "a=ice-ufrag:\(userFragment)", "a=ice-pwd:0123456789abcdefghijklmn", "a=ice-options:trickle",
      "a=fingerprint:sha-256 7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08",
      "a=setup:actpass", "a=mid:0", "a=\(direction)", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
      "a=fmtp:111 minptime=10;useinbandfec=1", "a=ssrc:1234 cname:test",
    ].map { $0 + "\r\n" }.joined()
  }

  static let candidate = "candidate:1 1 udp 2130706431 192.0.2.7 50000 typ host"

  static func fragment(userFragment: String = "abcd", _ candidates: [String] = [candidate], ends: Bool = false)
    -> String
  {
    let lines =
      ["a=ice-ufrag:\(userFragment)", "a=ice-pwd:0123456789abcdefghijklmn", "m=audio 9 UDP/TLS/RTP/SAVPF 0", "a=mid:0"]
      + candidates.map { "a=\($0)" } + (ends ? ["a=end-of-candidates"] : [])
    return lines.map { $0 + "\r\n" }.joined()
  }
}
