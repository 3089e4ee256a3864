/// The index of an SRTP packet: rollover counter and sequence number as one number of 48 bits (RFC 3711 section 3.3.1).
enum PacketIndex {
  /// The last one that a key may serve for (RFC 3711 section 9.2).
  static let last: Int64 = 0xFFFF_FFFF_FFFF

  private static let round: Int64 = 1 << 16
  private static let half: Int64 = 1 << 15

  /// The index that a sequence number stands for, by appendix A of RFC 3711. A number from before the first round, which
  /// the appendix gives to a round of −1, belongs to the first one: the sender began high, or has jumped.
  /// - Parameter highest: the highest index of the source so far; nil for a new source.
  /// - Returns: an index, which may lie beyond `last`.
  static func guess(_ number: UInt16, highest: Int64?) -> Int64 {
    guard let highest else { return Int64(number) }
    let newest = highest & (round &- 1)
    let first = highest &- newest
    let step = Int64(number) &- newest
    if step > half, first > 0 { return first &- round &+ Int64(number) }
    if step < -half { return first &+ round &+ Int64(number) }
    return first &+ Int64(number)
  }
}
