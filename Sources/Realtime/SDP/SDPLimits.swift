/// How large a session description may be before it is refused unread (promise 8: the SDP bomb).
///
/// Every limit refuses; none truncates, because half a description means something else than the whole.
package struct SDPLimits: Sendable, Hashable {
  /// Bytes of the whole description. A Chromium offer with audio, video and data is 7 KiB.
  package var bytes: Int
  /// Sections that begin with `m=`.
  package var mediaSections: Int
  /// `a=candidate` lines of all sections together.
  package var candidates: Int
  /// `a=` lines of one section (or of the session part). Chromium's video section has about 120.
  package var attributes: Int
  /// Formats (payload types) of one `m=` line; RTP has no more than 128 payload types.
  package var formats: Int
  /// Lines before the attributes of one section (`c=`, `b=`, `t=`, …).
  package var otherLines: Int

  package init(
    bytes: Int = 65_536, mediaSections: Int = 8, candidates: Int = 64, attributes: Int = 256, formats: Int = 128,
    otherLines: Int = 32
  ) {
    self.bytes = bytes
    self.mediaSections = mediaSections
    self.candidates = candidates
    self.attributes = attributes
    self.formats = formats
    self.otherLines = otherLines
  }
}
