/// Our session descriptions as the clients of Remote Monster look for them.
///
/// Their audio type "music" is a replacement of text: it finds `a=rtpmap:111 opus/48000/2`, and parameters that stand
/// literally as `minptime=10;useinbandfec=1`, and writes stereo, constant bit rate and 128 kbit/s into both descriptions.
/// So here ours says no more than this; the client's patch says the rest, and a call of voices stays one of voices.
enum RemonDescription {
  private static let codec = " opus/48000/2"
  private static let parameters = "minptime=10;useinbandfec=1"

  static func literal(_ sdp: String) -> String {
    let lines = sdp.split(whereSeparator: \.isNewline)
    let types = lines.compactMap { line -> Substring? in
      guard line.hasPrefix("a=rtpmap:"), line.lowercased().hasSuffix(codec) else { return nil }
      return line.dropFirst("a=rtpmap:".count).prefix { $0 != " " }
    }
    return lines.map { line in
      for type in types where line.hasPrefix("a=fmtp:\(type) ") { return "a=fmtp:\(type) \(parameters)\r\n" }
      return "\(line)\r\n"
    }.joined()
  }

  /// What tells one peer connection of a client from the next: the identifier in the line `o=` (RFC 8866 §5.2).
  static func session(of sdp: String) -> String? {
    let origin = sdp.split(whereSeparator: \.isNewline).first { $0.hasPrefix("o=") }
    return origin?.split(separator: " ").dropFirst().first.map(String.init)
  }
}
