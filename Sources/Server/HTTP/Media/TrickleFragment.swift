import Signaling

/// The body of a PATCH on a WHIP or WHEP session: `application/trickle-ice-sdpfrag` (RFC 8840 section 9).
package struct TrickleFragment: Hashable, Sendable {
  /// One media section's candidates.
  struct Section: Hashable, Sendable {
    var mid: String?
    /// Index among the media sections, from 0.
    var index: Int
    /// Values of `a=candidate`, with the word `candidate:`.
    var candidates: [String] = []
    var isComplete = false
  }

  var userFragment: String?
  var password: String?
  var sections: [Section] = []

  /// Longest line, in bytes; a candidate has about 150.
  private static let maximumLine = 1_024
  /// Most candidates per body; also the limit of a peer.
  private static let maximumCandidates = 64

  /// Reads a fragment; unknown attributes are ignored.
  /// - Throws: `RoomRefusal` `.invalidCandidate`, `.tooMany` or `.malformed`, with the number of the line.
  package init(parsing text: String) throws(RoomRefusal) {
    var count = 0
    // Lines end in CR LF, one character in Swift, or incorrectly in LF alone.
    for (offset, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = String(line)
      guard !line.isEmpty else { continue }
      guard line.utf8.count <= TrickleFragment.maximumLine else {
        throw RoomRefusal(.malformed, "line \(offset + 1) is longer than \(TrickleFragment.maximumLine) bytes")
      }
      guard line.hasPrefix("a=") || line.hasPrefix("m=") else {
        throw RoomRefusal(
          .malformed,
          "line \(offset + 1) is \"\(line.prefix(32))\"; a fragment has a= and m= lines (RFC 8840 section 9)")
      }
      if line.hasPrefix("m=") { sections.append(Section(mid: nil, index: sections.count)) }
      if let value = line.value(of: "a=ice-ufrag:") { userFragment = value }
      if let value = line.value(of: "a=ice-pwd:") { password = value }
      if let value = line.value(of: "a=mid:") {
        // A fragment for one section may omit its m= line.
        if sections.isEmpty { sections.append(Section(mid: nil, index: 0)) }
        sections[sections.count - 1].mid = value
      }
      if line.hasPrefix("a=candidate:") {
        count += 1
        guard count <= TrickleFragment.maximumCandidates else {
          throw RoomRefusal(.tooMany, "there may be \(TrickleFragment.maximumCandidates) candidates")
        }
        if sections.isEmpty { sections.append(Section(mid: nil, index: 0)) }
        sections[sections.count - 1].candidates.append(String(line.dropFirst(2)))
      }
      if line == "a=end-of-candidates" {
        if sections.isEmpty { sections.append(Section(mid: nil, index: 0)) }
        sections[sections.count - 1].isComplete = true
      }
    }
  }

  /// The fragment of a whole session description: our credentials and candidates, for the response to an ICE restart.
  init(of description: String) {
    for line in description.split(whereSeparator: \.isNewline).map(String.init) {
      if line.hasPrefix("m=") { sections.append(Section(mid: nil, index: sections.count)) }
      if let value = line.value(of: "a=ice-ufrag:"), userFragment == nil { userFragment = value }
      if let value = line.value(of: "a=ice-pwd:"), password == nil { password = value }
      guard !sections.isEmpty else { continue }
      if let value = line.value(of: "a=mid:") { sections[sections.count - 1].mid = value }
      if line.hasPrefix("a=candidate:") { sections[sections.count - 1].candidates.append(String(line.dropFirst(2))) }
      if line == "a=end-of-candidates" { sections[sections.count - 1].isComplete = true }
    }
  }

  /// All candidates as messages for a peer, with the end of candidates last.
  package var messages: [CandidateMessage] {
    var messages = sections.flatMap { section in
      section.candidates.map { CandidateMessage(candidate: $0, mid: section.mid, mLineIndex: section.index) }
    }
    if sections.contains(where: \.isComplete) { messages.append(.end) }
    return messages
  }

  package var text: String {
    var lines: [String] = []
    if let userFragment { lines.append("a=ice-ufrag:\(userFragment)") }
    if let password { lines.append("a=ice-pwd:\(password)") }
    for section in sections where !section.candidates.isEmpty || section.isComplete {
      // The port and format of the m= line have no meaning here (RFC 8840 section 9).
      lines.append("m=audio 9 UDP/TLS/RTP/SAVPF 0")
      if let mid = section.mid { lines.append("a=mid:\(mid)") }
      // in range: a list
      lines += section.candidates.map { "a=\($0)" }
      if section.isComplete { lines.append("a=end-of-candidates") }
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  /// `offer` with these credentials and candidates instead of its own: the offer of an ICE restart.
  package func applied(to offer: String) -> String {
    var lines: [String] = []
    var index = -1
    func finishSection() {
      guard let section = sections.first(where: { $0.index == index }) else { return }
      // in range: a list
      lines += section.candidates.map { "a=\($0)" }
      if section.isComplete { lines.append("a=end-of-candidates") }
    }
    for line in offer.split(whereSeparator: \.isNewline).map(String.init) {
      if line.hasPrefix("m=") {
        finishSection()
        index += 1
      }
      if line.hasPrefix("a=candidate:") || line == "a=end-of-candidates" { continue }
      if line.hasPrefix("a=ice-ufrag:"), let userFragment {
        lines.append("a=ice-ufrag:\(userFragment)")
      } else if line.hasPrefix("a=ice-pwd:"), let password {
        lines.append("a=ice-pwd:\(password)")
      } else {
        lines.append(line)
      }
    }
    finishSection()
    return lines.map { $0 + "\r\n" }.joined()
  }
}

extension String {
  /// The text after `prefix`, nil if it begins otherwise.
  fileprivate func value(of prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
