/// One trickled ICE candidate, or the end of candidates (RFC 8838).
package struct CandidateMessage: Hashable, Sendable {
  /// The value of `a=candidate` ("candidate:1 1 udp …"); empty for the end of candidates.
  package var candidate: String
  package var mid: String?
  package var mLineIndex: Int?

  package init(candidate: String, mid: String? = nil, mLineIndex: Int? = nil) {
    self.candidate = candidate
    self.mid = mid
    self.mLineIndex = mLineIndex
  }

  /// The end of candidates.
  package static let end = CandidateMessage(candidate: "")
}
