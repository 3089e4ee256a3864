/// How well one track is placed on the take's time line, and what it took to get there.
package struct AlignmentReport: Hashable, Sendable {
  /// The sender's clock against ours, in ppm; positive runs fast.
  package var drift: Double
  /// Where the track's first sample lies, in seconds from the take's zero.
  package var offset: Double
  /// Half width of the interval in which the true placement of every sample lies, in milliseconds; nil where it is unknown
  /// of any of them.
  package var errorBound: Double?
  /// Why the bound is unknown, for people; nil where it is known.
  package var unknownBecause: String?
  /// RTP packets that were expected.
  package var expectedPackets: Int
  /// Packets that came only after a NACK, by redundancy or by in-band FEC.
  package var recoveredPackets: Int
  /// Packets that were never delivered, in whatever way.
  package var lostPackets: Int
  /// Samples made by concealment.
  package var concealedSamples: Int64
  /// What the placement rests on, for people: "abs-capture-time", "sender reports", "arrival times".
  package var basis: String
  /// The bound over time, in order; empty where an older release made the take.
  package var stretches: [BoundedStretch]

  package init(
    drift: Double, offset: Double, errorBound: Double?, unknownBecause: String? = nil, expectedPackets: Int,
    recoveredPackets: Int, lostPackets: Int, concealedSamples: Int64, basis: String, stretches: [BoundedStretch] = []
  ) {
    self.drift = drift
    self.offset = offset
    self.errorBound = errorBound
    self.unknownBecause = unknownBecause
    self.expectedPackets = expectedPackets
    self.recoveredPackets = recoveredPackets
    self.lostPackets = lostPackets
    self.concealedSamples = concealedSamples
    self.basis = basis
    self.stretches = stretches
  }
}

extension AlignmentReport: Codable {
  private enum CodingKeys: String, CodingKey {
    case drift, offset, errorBound, unknownBecause, expectedPackets, recoveredPackets, lostPackets, concealedSamples,
      basis, stretches
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    drift = try values.decode(Double.self, forKey: .drift)
    offset = try values.decode(Double.self, forKey: .offset)
    errorBound = try values.decodeBound(forKey: .errorBound)
    unknownBecause = try values.decodeIfPresent(String.self, forKey: .unknownBecause)
    expectedPackets = try values.decode(Int.self, forKey: .expectedPackets)
    recoveredPackets = try values.decode(Int.self, forKey: .recoveredPackets)
    lostPackets = try values.decode(Int.self, forKey: .lostPackets)
    concealedSamples = try values.decode(Int64.self, forKey: .concealedSamples)
    basis = try values.decode(String.self, forKey: .basis)
    stretches = try values.decodeIfPresent([BoundedStretch].self, forKey: .stretches) ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(drift, forKey: .drift)
    try values.encode(offset, forKey: .offset)
    try values.encodeBound(errorBound, forKey: .errorBound)
    try values.encodeIfPresent(unknownBecause, forKey: .unknownBecause)
    try values.encode(expectedPackets, forKey: .expectedPackets)
    try values.encode(recoveredPackets, forKey: .recoveredPackets)
    try values.encode(lostPackets, forKey: .lostPackets)
    try values.encode(concealedSamples, forKey: .concealedSamples)
    try values.encode(basis, forKey: .basis)
    if !stretches.isEmpty { try values.encode(stretches, forKey: .stretches) }
  }
}
