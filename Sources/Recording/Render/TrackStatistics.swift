/// What happened to a track's packets.
struct TrackStatistics: Hashable, Sendable {
  var expectedPackets = 0
  /// Came after a NACK, by redundancy or by in-band FEC.
  var recoveredPackets = 0
  /// Never came, in whatever way.
  var lostPackets = 0
  /// Came after their place was rendered.
  var latePackets = 0
  var duplicatePackets = 0
  /// Came when far more waited than the window can hold.
  var refusedPackets = 0
  var concealedSamples: Int64 = 0

  static func + (left: TrackStatistics, right: TrackStatistics) -> TrackStatistics {
    TrackStatistics(
      expectedPackets: left.expectedPackets + right.expectedPackets,
      recoveredPackets: left.recoveredPackets + right.recoveredPackets,
      lostPackets: left.lostPackets + right.lostPackets,
      latePackets: left.latePackets + right.latePackets,
      duplicatePackets: left.duplicatePackets + right.duplicatePackets,
      refusedPackets: left.refusedPackets + right.refusedPackets,
      concealedSamples: left.concealedSamples + right.concealedSamples)
  }
}
