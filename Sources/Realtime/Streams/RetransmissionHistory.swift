import Machines

/// The packets sent last on one SSRC, for those that ask again.
///
/// A packet is repeated once per round trip at most, and all repeats together are bounded: a receiver that asks for
/// everything all the time must not multiply what we send.
package struct RetransmissionHistory: Sendable {
  private struct Sent {
    var number: UInt16
    var bytes: [UInt8]
    var repeated: MonotonicTime?
  }

  /// What became of requests.
  package struct Counts: Hashable, Sendable {
    package var repeated = 0
    /// Asked for again within a round trip, or beyond the bound of all repeats.
    package var refused = 0
    /// No longer, or never, kept.
    package var missing = 0
  }

  /// Packets kept by default: 5 s at 10 ms a packet.
  package static let defaultDepth = 512
  /// The least time between two repeats of one packet where the round trip is unknown or shorter.
  package static let shortestPause = MonotonicTime.Span.milliseconds(10)
  /// Repeats a second in the long run, five times what a stream of 10 ms packets sends.
  private static let repeatsPerSecond = 500

  package private(set) var counts = Counts()
  private var packets: [Sent]
  private var rate: RateLimit

  /// Keeps the last `depth` packets, 1...4096, rounded up to a power of two.
  package init(depth: Int = defaultDepth) {
    var size = 1
    while size < min(max(depth, 1), 4096) { size &*= 2 }
    packets = Array(repeating: Sent(number: 0, bytes: [], repeated: nil), count: size)
    rate = RateLimit(perSecond: Self.repeatsPerSecond, burst: size)
  }

  /// Keeps a sent packet (as it was before encryption), without copying it.
  package mutating func store(_ bytes: [UInt8], sequenceNumber: UInt16) {
    packets[slot(sequenceNumber)] = Sent(number: sequenceNumber, bytes: bytes, repeated: nil)
  }

  /// The packet to send again, nil where it is not kept or was repeated less than a round trip ago.
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
