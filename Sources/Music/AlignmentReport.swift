/// How well one track is placed on the take's time line, and what it took to get there.
package struct AlignmentReport: Hashable, Sendable, Codable {
  /// The sender's clock against ours, in ppm; positive runs fast.
  package var drift: Double
  /// Where the track's first sample lies, in seconds from the take's zero.
  package var offset: Double
  /// Half width of the interval in which the true placement lies, in milliseconds.
  package var errorBound: Double
  /// RTP packets that were expected.
  package var expectedPackets: Int
  /// Packets that came only after a NACK, by redundancy or by in-band FEC.
  package var recoveredPackets: Int
  /// Packets that never came.
  package var lostPackets: Int
  /// Samples made by concealment.
  package var concealedSamples: Int64
  /// What the placement rests on, for people: "abs-capture-time", "sender reports", "arrival times".
  package var basis: String

  package init(
    drift: Double, offset: Double, errorBound: Double, expectedPackets: Int, recoveredPackets: Int, lostPackets: Int,
    concealedSamples: Int64, basis: String
  ) {
    self.drift = drift
    self.offset = offset
    self.errorBound = errorBound
    self.expectedPackets = expectedPackets
    self.recoveredPackets = recoveredPackets
    self.lostPackets = lostPackets
    self.concealedSamples = concealedSamples
    self.basis = basis
  }
}
