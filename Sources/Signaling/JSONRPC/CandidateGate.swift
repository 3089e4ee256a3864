/// Holds the server's candidates of one connection back until its answer was sent, because only the answer says to which
/// media section they belong.
struct CandidateGate: Hashable, Sendable {
  /// Candidates that are held at most; a server has a handful.
  private static let maximumHeld = 64

  /// The section of the last answer, nil before the first.
  private var section: BundledSection?
  private var isNegotiating = false
  /// True where an answer was sent once.
  var wasOpened: Bool { section != nil }
  private var held: [CandidateMessage] = []

  /// A new offer came.
  mutating func begin() {
    isNegotiating = true
  }

  /// The answer was sent: what may go out now.
  mutating func open(_ answer: String) -> [CandidateMessage] {
    section = BundledSection(answer: answer)
    return release()
  }

  /// The offer was refused: a connection that stood before goes on.
  mutating func reopen() -> [CandidateMessage] {
    release()
  }

  /// A candidate of ours: what may go out now. The end of candidates is never told (iOS would build a broken one).
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
