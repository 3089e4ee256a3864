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
