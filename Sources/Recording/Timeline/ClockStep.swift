/// A place at which a sender's RTP clock stopped fitting its line: from `sequence` on another line holds.
package struct ClockStep: Hashable, Sendable {
  /// Extended sequence number of the first packet of the new line.
  package var sequence: Int64
  /// How much later (positive: the microphone stood still) or earlier the same RTP time is captured now, in seconds.
  package var size: Double
  /// Where the sender's capture times say that the microphone stood still and nothing else changed: end of the last
  /// packet before it, in seconds of the media clock. Nil where only the new line tells what holds from there on.
  package var standstill: Double?
  /// The media times between which the standstill was, where nothing tells more exactly, in seconds.
  package var doubtful: ClosedRange<Double>?
  /// Standstills in front of this one of which the same word of the sender tells, oldest first.
  package var earlier: [ClockStep] = []
}
