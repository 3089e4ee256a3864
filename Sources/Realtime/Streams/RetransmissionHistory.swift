import Machines

/// The most recent packets of one SSRC, for retransmission.
///
/// A packet is repeated at most once per round trip, and the total of retransmissions is limited, so that a receiver
/// cannot multiply our traffic by requesting everything.
package struct RetransmissionHistory: Sendable {
  private struct Sent {
    var number: UInt16
    var bytes: [UInt8]
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

  /// Default number of packets: 5 s at 10 ms per packet.
  package static let defaultDepth = 512
  /// Minimum interval between two repetitions of one packet if the round trip is unknown or shorter.
  package static let shortestPause = MonotonicTime.Span.milliseconds(10)
  /// Long-term limit of retransmissions per second, five times the rate of a stream with 10 ms packets.
  private static let repeatsPerSecond = 500

  package private(set) var counts = Counts()
  private var packets: [Sent]
  private var rate: RateLimit

  /// Creates a history of `depth` packets, 1...4096, rounded up to a power of two.
  package init(depth: Int = defaultDepth) {
    var size = 1
    while size < min(max(depth, 1), 4096) { size &*= 2 }
    packets = Array(repeating: Sent(number: 0, bytes: [], repeated: nil), count: size)
    rate = RateLimit(perSecond: Self.repeatsPerSecond, burst: size)
  }

  /// Stores a sent packet (before encryption) without copying it.
  package mutating func store(_ bytes: [UInt8], sequenceNumber: UInt16) {
    packets[slot(sequenceNumber)] = Sent(number: sequenceNumber, bytes: bytes, repeated: nil)
  }

  /// Returns the packet to retransmit; nil if it is not stored or was repeated less than a round trip ago.
  package mutating func packet(
    _ sequenceNumber: UInt16, at now: MonotonicTime, roundTrip: MonotonicTime.Span
  ) -> [UInt8]? {
    let slot = slot(sequenceNumber)
    guard packets[slot].number == sequenceNumber, !packets[slot].bytes.isEmpty else {
      counts.missing &+= 1
      return nil
    }
    if let repeated = packets[slot].repeated, now - repeated < max(roundTrip, Self.shortestPause) {
      counts.refused &+= 1
      return nil
    }
    guard rate.admit(at: now) else {
      counts.refused &+= 1
      return nil
    }
    packets[slot].repeated = now
    counts.repeated &+= 1
    return packets[slot].bytes
  }

  private func slot(_ sequenceNumber: UInt16) -> Int { Int(sequenceNumber) & (packets.count &- 1) }
}
