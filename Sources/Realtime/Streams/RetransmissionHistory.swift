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

/// Bounds how often something may happen: a steady rate with a burst, kept as one instant (the GCRA of ATM networks).
struct RateLimit: Sendable, Hashable {
  private let interval: MonotonicTime.Span
  private let tolerance: MonotonicTime.Span
  /// When the next event would come if all events came evenly; nil before the first.
  private var expected: MonotonicTime?

  /// `perSecond` events in the long run, `burst` of them at once; both at least one.
  init(perSecond: Int, burst: Int) {
    interval = .nanoseconds(1_000_000_000 / Int64(min(max(perSecond, 1), 1_000_000)))
    tolerance = interval * Int64(min(max(burst, 1), 1_000_000) &- 1)
  }

  /// Counts one event at `now`; false, and nothing counted, where it is too soon.
  mutating func admit(at now: MonotonicTime) -> Bool {
    let base = max(expected ?? now, now)
    guard base - now <= tolerance else { return false }
    expected = base + interval
    return true
  }

  /// From when on `admit` answers true; nil where it always would have.
  var opens: MonotonicTime? {
    guard let expected else { return nil }
    return expected - tolerance
  }
}
