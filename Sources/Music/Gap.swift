/// A stretch of a track for which no audio arrived.
package struct Gap: Hashable, Sendable, Codable {
  /// Why there is a gap.
  package enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
    /// Packets were lost and no retransmission or redundancy brought them back in time.
    case loss
    /// The musician's connection was away.
    case disconnected
    /// The sender's RTP time ran on, or jumped, without packets: the microphone stood still.
    case captureStall
    /// A packet arrived but could not be decoded.
    case undecodable
    /// The recorder could not write (disk full, disk too slow).
    case recorder
  }

  package var start: SamplePosition
  /// In samples.
  package var length: SamplePosition
  package var cause: Cause
  /// True where Opus concealment fills the gap, false where there is silence.
  package var isConcealed: Bool

  package init(start: SamplePosition, length: SamplePosition, cause: Cause, isConcealed: Bool) {
    self.start = start
    self.length = length
    self.cause = cause
    self.isConcealed = isConcealed
  }
}
