/// Holds back the server's candidates of one connection until its answer is sent, because only the answer tells their
/// media section.
struct CandidateGate: Hashable, Sendable {
  /// Most candidates held; a server has a handful.
  private static let maximumHeld = 64

  /// The section of the last answer, nil before the first.
  private var section: BundledSection?
  private var isNegotiating = false
  /// True once an answer was sent.
  var wasOpened: Bool { section != nil }
  private var held: [CandidateMessage] = []

  /// Begins negotiating a new offer.
  mutating func begin() {
    isNegotiating = true
  }

  /// Marks the answer as sent; returns the held candidates.
  mutating func open(_ answer: String) -> [CandidateMessage] {
    section = BundledSection(answer: answer)
    return release()
  }

  /// Marks the offer as refused; returns the held candidates of an earlier connection.
  mutating func reopen() -> [CandidateMessage] {
    release()
  }

  /// Passes our candidate; nil while it is held. The end of candidates is never sent (iOS would build a broken one).
  mutating func pass(_ candidate: CandidateMessage) -> CandidateMessage? {
    guard !candidate.candidate.isEmpty else { return nil }
    if let section, !isNegotiating { return section.placed(candidate) }
    if held.count < CandidateGate.maximumHeld { held.append(candidate) }
    return nil
  }

  private mutating func release() -> [CandidateMessage] {
    isNegotiating = false
    defer { held = [] }
    return section.map { section in held.map { section.placed($0) } } ?? []
  }
}

/// The media section of a connection's candidates: the first of the bundle.
///
/// It supplies "sdpMid" and "sdpMLineIndex" of every candidate for a client; iOS builds no candidate without them.
struct BundledSection: Hashable, Sendable {
  var mid: String
  /// The index of its m-line in the description, from 0.
  var index: Int

  /// Reads our own answer: the first mid of `a=group:BUNDLE`, otherwise the first section that is not refused (port 0),
  /// otherwise "0" and 0.
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

  /// The candidate with the fields of this section.
  func placed(_ candidate: CandidateMessage) -> CandidateMessage {
    CandidateMessage(candidate: candidate.candidate, mid: mid, mLineIndex: index)
  }
}
