/// From one packet of a stream to a later one.
struct SequenceStep: Hashable, Sendable {
  /// Numbers between the two.
  var missing: Int64
  /// Samples between the end of the one and the beginning of the other, by RTP time.
  var room: Int64
  /// The shorter of the two, in samples.
  var shortest: Int64

  /// True where the missing numbers can have been packets: there is room for them in RTP time. A sender that restarts its
  /// numbers, or counts what it sends nobody, jumps over more.
  var isLoss: Bool {
    guard missing > 0, shortest > 0 else { return false }
    // Half a packet of grace: not everybody's RTP time is exact.
    return missing <= (max(0, room) + shortest / 2) / shortest
  }
}
