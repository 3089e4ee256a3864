/// Extends 16-bit sequence numbers to 64 bits without wraps, and detects restarts of a sender.
///
/// The extended number is the one nearest to the highest seen, so reordering across a wrap is harmless. A jump too
/// large for any network starts a new *segment*, whose numbers continue above all earlier ones.
package struct SequenceExtender: Sendable, Hashable {
  /// A larger jump forward, in packets, is a restart rather than loss (RFC 3550 A.1, MAX_DROPOUT).
  package static let forwardLimit: Int64 = 3000
  /// A larger jump back is a restart rather than reordering: 512 packets are at least 5 s at 10 ms per packet.
  package static let backwardLimit: Int64 = 512
  private static let cycle: Int64 = 1 << 16

  /// The highest extended number so far; nil before the first.
  package private(set) var highest: Int64?
  /// Number of restarts of the sender; 0 in the first segment.
  package private(set) var segment = 0

  package init() {}

  /// The extended number of `number`.
  package mutating func extend(_ number: UInt16) -> Int64 {
    guard let highest else {
      self.highest = Int64(number)
      return Int64(number)
    }
    let step = Int64(Int16(truncatingIfNeeded: Int64(number) &- highest))
    var extended = highest &+ step
    if step < -Self.backwardLimit {
      // Numbers of different segments must not overlap: the same 16 bits, one cycle further up.
      extended &+= Self.cycle
      segment &+= 1
    } else if step > Self.forwardLimit {
      segment &+= 1
    }
    if extended > highest { self.highest = extended }
    return extended
  }
}

/// Extends 32-bit RTP timestamps to 64 bits without wraps, choosing the one nearest to the latest seen.
///
/// At 48 kHz the 32 bits wrap every 24.8 hours; consecutive packets may be up to 12.4 hours apart.
package struct TimestampExtender: Sendable, Hashable {
  /// The highest extended timestamp so far in ticks; nil before the first.
  package private(set) var highest: Int64?

  package init() {}

  /// Extends `timestamp`, in ticks.
  package mutating func extend(_ timestamp: UInt32) -> Int64 {
    let extended = peek(timestamp)
    if extended > highest ?? .min { highest = extended }
    return extended
  }

  /// Extends a timestamp without moving the reference, for sender reports.
  package func peek(_ timestamp: UInt32) -> Int64 {
    guard let highest else { return Int64(timestamp) }
    return highest &+ Int64(Int32(truncatingIfNeeded: Int64(timestamp) &- highest))
  }

  /// Sets `extended` as the new reference after the sender restarted.
  mutating func restart(at extended: Int64) {
    highest = extended
  }
}
