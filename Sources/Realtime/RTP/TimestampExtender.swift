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
