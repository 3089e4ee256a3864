/// Edits of session descriptions for apps that expect audio and video, as texts: Jamjar's own have one audio section.
enum AudioOnlyDescription {
  private static let videoMid = "video"
  /// Lines of the audio section that hold for every section of a bundle (RFC 9143).
  private static let transport = ["a=ice-ufrag:", "a=ice-pwd:", "a=ice-options:", "a=fingerprint:", "a=setup:"]

  /// Adds an inactive video section to our offer.
  ///
  /// PerchRTC edits the video section of its answer without looking whether there is one, and ends with an exception
  /// if there is none.
  static func addingVideo(to offer: String) -> String {
    var lines = split(offer)
    let common = lines.filter { line in transport.contains { line.hasPrefix($0) } }
    lines = lines.map { $0.hasPrefix("a=group:BUNDLE ") ? "\($0) \(videoMid)" : $0 }
    lines += ["m=video 9 UDP/TLS/RTP/SAVPF 100", "c=IN IP4 0.0.0.0"] + common
    lines += ["a=mid:\(videoMid)", "a=inactive", "a=rtcp-mux", "a=rtpmap:100 VP8/90000"]
    return lines.map { $0 + "\r\n" }.joined()
  }

  /// Only the lines of the session and of its first audio section: the answer to the offer that was ours.
  static func audioOnly(_ answer: String) -> String {
    var kept: [String] = []
    var isKept = true
    var hasAudio = false
    for line in split(answer) {
      if line.hasPrefix("m=") {
        isKept = !hasAudio && line.hasPrefix("m=audio")
        hasAudio = hasAudio || isKept
      }
      if isKept { kept.append(line) }
    }
    let mid = kept.first { $0.hasPrefix("a=mid:") }.map { $0.dropFirst("a=mid:".count) }
    kept = kept.map { line in
      guard line.hasPrefix("a=group:BUNDLE"), let mid else { return line }
      return "a=group:BUNDLE \(mid)"
    }
    return kept.map { $0 + "\r\n" }.joined()
  }

  /// True if a candidate belongs to the first audio section of `description`, or does not say where it belongs.
  ///
  /// Candidates of sections that are refused or bundled lead nowhere.
  static func isOfAudio(_ candidate: CandidateMessage, in description: AudioPlace) -> Bool {
    if let index = candidate.mLineIndex { return index == description.index }
    if let mid = candidate.mid, !mid.isEmpty, let own = description.mid { return mid == own }
    return true
  }

  /// Where the audio section stands in a description.
  struct AudioPlace: Hashable, Sendable {
    var index = 0
    var mid: String?

    init() {}

    init(in description: String) {
      var count = 0
      var isInside = false
      for line in AudioOnlyDescription.split(description) {
        if line.hasPrefix("m=") {
          if isInside { return }
          isInside = line.hasPrefix("m=audio")
          if isInside { index = count }
          // in range: a description has fewer lines than bytes
          count += 1
        } else if isInside, line.hasPrefix("a=mid:") {
          mid = String(line.dropFirst("a=mid:".count))
        }
      }
    }
  }

  private static func split(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map(String.init)
  }
}
