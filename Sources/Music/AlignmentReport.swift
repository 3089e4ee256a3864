/// How precisely one track is placed on the take's time line, and the basis of that placement.
package struct AlignmentReport: Hashable, Sendable {
  /// Rate of the sender's clock relative to ours, in ppm; positive means fast.
  package var drift: Double
  /// Position of the track's first sample, in seconds from the take's zero.
  package var offset: Double
  /// Half width of the interval that contains the true position of every sample, in milliseconds; nil if it is
  /// unknown for any of them.
  package var errorBound: Double?
  /// The reason why the bound is unknown, for users; nil if it is known.
  package var unknownBecause: String?
  /// Number of RTP packets expected.
  package var expectedPackets: Int
  /// Packets delivered only by a NACK, redundancy or in-band FEC.
  package var recoveredPackets: Int
  /// Packets never delivered in any way.
  package var lostPackets: Int
  /// Samples of concealment.
  package var concealedSamples: Int64
  /// The basis of the placement, for users: "abs-capture-time", "sender reports", "arrival times".
  package var basis: String
  /// The bound over time, in order; empty for takes of older releases.
  package var stretches: [BoundedStretch]
  /// The stretches in which the sender could have left out sound unnoticed, in order. Anywhere else, a drop of 8 ms or
  /// more would be a gap. Nil for takes of older releases and for imported ones, which state nothing of it.
  package var unseenDrops: [SampleSpan]?
  /// The stretches in which the musician talked to the others: heard by them, and silence in the track, in order. To
  /// within a packet. Nil for takes of older releases and for imported ones, which state nothing of it.
  package var talks: [SampleSpan]?

  package init(
    drift: Double, offset: Double, errorBound: Double?, unknownBecause: String? = nil, expectedPackets: Int,
    recoveredPackets: Int, lostPackets: Int, concealedSamples: Int64, basis: String, stretches: [BoundedStretch] = [],
    unseenDrops: [SampleSpan]? = nil, talks: [SampleSpan]? = nil
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
    self.unseenDrops = unseenDrops
    self.talks = talks
  }
}

extension AlignmentReport: Codable {
  private enum CodingKeys: String, CodingKey {
    case drift, offset, errorBound, unknownBecause, expectedPackets, recoveredPackets, lostPackets, concealedSamples,
      basis, stretches, unseenDrops, talks
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
    unseenDrops = try values.decodeIfPresent([SampleSpan].self, forKey: .unseenDrops)
    talks = try values.decodeIfPresent([SampleSpan].self, forKey: .talks)
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
    try values.encodeIfPresent(unseenDrops, forKey: .unseenDrops)
    try values.encodeIfPresent(talks, forKey: .talks)
  }
}

/// A stretch of a take's time line.
package struct SampleSpan: Hashable, Sendable, Codable {
  package var start: SamplePosition
  /// One past its last sample.
  package var end: SamplePosition

  package init(start: SamplePosition, end: SamplePosition) {
    (self.start, self.end) = (start, end)
  }
}
