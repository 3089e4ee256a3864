import Machines

/// A packet of ours, as its history keeps it.
package enum SentPacket: Hashable, Sendable {
  /// Created by us.
  case own([UInt8])
  /// A musician's packet as it came, whose bytes all its subscribers share, and the head that it has for this one.
  case forwarded([UInt8], as: RTPWriter, from: Forwarder.Source)
}

/// The packets of one SSRC of the last seconds, for retransmission.
///
/// It has as many places as they need: a subscriber of 20 ms packets half as many as one of 10 ms packets.
///
/// A packet is repeated at most once per round trip, and the total of retransmissions is limited, so that a receiver
/// cannot multiply our traffic by requesting everything.
package struct RetransmissionHistory: Sendable {
  private struct Sent {
    var number: UInt16
    var packet: SentPacket
    var sent: MonotonicTime
    var repeated: MonotonicTime?
  }

  /// Outcomes of requests.
  package struct Counts: Hashable, Sendable {
    package var repeated = 0
    /// Requested again within a round trip, or beyond the total limit.
    package var refused = 0
    /// Not in the history.
    package var missing = 0
  }

  /// How long a packet is kept, unless there are more than `defaultDepth`.
  package static let span = MonotonicTime.Span.seconds(5)
  /// Most packets: 5 s at 10 ms per packet.
  package static let defaultDepth = 512
  /// Places in the beginning.
  private static let fewest = 64
  /// Minimum interval between two repetitions of one packet if the round trip is unknown or shorter.
  package static let shortestPause = MonotonicTime.Span.milliseconds(10)
  /// Long-term limit of retransmissions per second, five times the rate of a stream with 10 ms packets.
  private static let repeatsPerSecond = 500

  package private(set) var counts = Counts()
  private let depth: Int
  /// Each at the place that the lowest bits of its number say.
  private var packets: [Sent?]
  private var rate: RateLimit

  /// Creates a history of up to `depth` packets, 1...4096, rounded up to a power of two.
  package init(depth: Int = defaultDepth) {
    var size = 1
    while size < min(max(depth, 1), 4096) { size &*= 2 }
    self.depth = size
    packets = Array(repeating: nil, count: min(size, Self.fewest))
    rate = RateLimit(perSecond: Self.repeatsPerSecond, burst: size)
  }

  /// Number of places at present.
  var places: Int { packets.count }

  /// Stores a packet (before encryption) that is sent at `now`, without copying it.
  package mutating func store(_ packet: SentPacket, sequenceNumber: UInt16, at now: MonotonicTime) {
    while packets.count < depth, let earlier = packets[slot(sequenceNumber)]?.sent, now - earlier < Self.span { grow() }
    packets[slot(sequenceNumber)] = Sent(number: sequenceNumber, packet: packet, sent: now, repeated: nil)
  }

  /// Doubles the number of places. Numbers that had different ones have different ones still.
  private mutating func grow() {
    let before = packets
    packets = Array(repeating: nil, count: before.count &* 2)
    for case let sent? in before { packets[slot(sent.number)] = sent }
  }

  /// Returns the packet to retransmit; nil if it is not stored or was repeated less than a round trip ago.
  package mutating func packet(
    _ sequenceNumber: UInt16, at now: MonotonicTime, roundTrip: MonotonicTime.Span
  ) -> SentPacket? {
    let slot = slot(sequenceNumber)
    guard let sent = packets[slot], sent.number == sequenceNumber else {
      counts.missing &+= 1
      return nil
    }
    if let repeated = sent.repeated, now - repeated < max(roundTrip, Self.shortestPause) {
      counts.refused &+= 1
      return nil
    }
    guard rate.admit(at: now) else {
      counts.refused &+= 1
      return nil
    }
    packets[slot]?.repeated = now
    counts.repeated &+= 1
    return sent.packet
  }

  private func slot(_ sequenceNumber: UInt16) -> Int { Int(sequenceNumber) & (packets.count &- 1) }
}
