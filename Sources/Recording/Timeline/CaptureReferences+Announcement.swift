extension CaptureReferences {
  /// A step shown by the sender's pairs.
  struct Announcement: Hashable, Sendable, Codable {
    /// Divergence of the sender's clocks between two pairs, in seconds.
    var difference: Double
    /// Media times of the pairs before and after it.
    var after: Double
    var until: Double
    /// End of the newest packet that was certainly sent before the first of them: `after` may be extrapolated.
    var sentBefore: Double
    /// Arrival of the pair after it.
    var arrival: Double
    var source: Source
    /// True if the sender's pairs are precise enough to exclude scatter.
    var isExact: Bool
    /// True if arrivals must confirm it, since it may be scatter.
    var needsAgreement = false
    /// True for a capture time out of turn: the sender's clocks have just diverged, and its packet is the first behind the
    /// step.
    var isOutOfTurn = false

    /// What handled standstills leave of the difference may be the scatter of packets, in seconds or as a fraction.
    private static let leastRest = 0.015
    private static let leastShare = 0.25
    /// The standstills between the two pairs that were followed since, in seconds.
    private(set) var followed = 0.0

    /// True if they explain it.
    var isFollowed: Bool {
      let total = abs(difference + followed)
      return followed != 0 && abs(difference) <= max(Announcement.leastRest, total * Announcement.leastShare)
    }

    mutating func insert(standstill seconds: Double, at media: Double, announcedAt: Double?) {
      if announcedAt.map({ arrival < $0 }) ?? false { return }
      let isLater = announcedAt.map { arrival > $0 } ?? (after > media - EnvelopePoint.grain)
      until += seconds
      // It is the end of a packet before the pair.
      if sentBefore > media + EnvelopePoint.grain { sentBefore += seconds }
      if isLater {
        after += seconds
      } else {
        difference -= seconds
        followed += seconds
      }
    }

    /// The step in capture time of a given media time, in seconds, if the clocks diverge by `slope` per second
    /// anyway.
    func size(slope: Double) -> Double { difference - slope * (until - after) }
  }
}
