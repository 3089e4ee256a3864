/// Extends 16-bit sequence numbers to 64 bits that never wrap, and notices where a sender began anew.
///
/// The number nearest to the highest one seen is meant, so reordering across the wrap is no matter. A jump that no
/// network makes starts a new *segment*: its numbers continue above all earlier ones.
package struct SequenceExtender: Sendable, Hashable {
  /// A jump forward beyond this many packets is a restart, not loss (RFC 3550 A.1, MAX_DROPOUT).
  package static let forwardLimit: Int64 = 3000
  /// A packet older than this is a restart, not reordering: 512 packets are 3 s and more at 10 ms a packet.
  package static let backwardLimit: Int64 = 512
  private static let cycle: Int64 = 1 << 16

  /// The highest extended number so far, nil before the first.
  package private(set) var highest: Int64?
  /// How often the sender began anew; 0 in the first segment.
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
      // Numbers of different segments must not meet: the same 16 bits, one cycle further up.
      extended &+= Self.cycle
      segment &+= 1
    } else if step > Self.forwardLimit {
      segment &+= 1
    }
    if extended > highest { self.highest = extended }
    return extended
  }
}

/// Extends 32-bit RTP timestamps to 64 bits that never wrap: the one nearest to the latest seen is meant.
///
/// At 48 kHz the 32 bits wrap every 24.8 hours; a packet may be up to 12.4 hours off its neighbour.
package struct TimestampExtender: Sendable, Hashable {
  /// The highest extended timestamp so far in ticks, nil before the first.
  package private(set) var highest: Int64?

  package init() {}

  /// The extended timestamp in ticks.
  package mutating func extend(_ timestamp: UInt32) -> Int64 {
    let extended = peek(timestamp)
    if extended > highest ?? .min { highest = extended }
    return extended
  }

  /// The extended timestamp without moving the reference, for the timestamps of sender reports.
  package func peek(_ timestamp: UInt32) -> Int64 {
    guard let highest else { return Int64(timestamp) }
    return highest &+ Int64(Int32(truncatingIfNeeded: Int64(timestamp) &- highest))
  }

  /// Takes `extended` as the new reference, after the sender began anew.
  mutating func restart(at extended: Int64) {
    highest = extended
  }
}
