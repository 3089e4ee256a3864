/// The media section to which the candidates of a connection belong: the first of the bundle.
///
/// "sdpMid" and "sdpMLineIndex" of every candidate that goes to a client come from here; iOS builds no candidate without.
struct BundledSection: Hashable, Sendable {
  var mid: String
  /// Which m-line of the description it is, counted from 0.
  var index: Int

  /// Reads our own answer: the first mid of `a=group:BUNDLE`, else the first section that is not refused (port 0),
  /// else "0" and 0.
  init(answer: String) {
    var sections: [(mid: String?, isRefused: Bool)] = []
    var leader: String?
    for line in answer.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("m=") {
        let port = line.split(separator: " ").dropFirst().first
        sections.append((nil, port == "0"))
      } else if line.hasPrefix("a=mid:"), let last = sections.indices.last {
        sections[last].mid = String(line.dropFirst("a=mid:".count))
      } else if line.hasPrefix("a=group:BUNDLE "), leader == nil {
        leader = line.split(separator: " ").dropFirst().first.map(String.init)
      }
    }
    let found =
      sections.firstIndex { leader != nil && $0.mid == leader } ?? sections.firstIndex { !$0.isRefused }
    guard let found else {
      mid = "0"
      index = 0
      return
    }
    mid = sections[found].mid ?? String(found)
    index = found
  }

  /// The candidate as it belongs to this section.
  func placed(_ candidate: CandidateMessage) -> CandidateMessage {
    CandidateMessage(candidate: candidate.candidate, mid: mid, mLineIndex: index)
  }
}
