/// Counts the bytes that came, so that the sender hears of each window full.
struct RTMPAcknowledging: Hashable, Sendable {
  /// The window of a peer that named none, in bytes; also the one that we name.
  static let window: UInt32 = 2_500_000

  private var window = UInt64(RTMPAcknowledging.window)
  private var total: UInt64 = 0
  private var acknowledged: UInt64 = 0

  mutating func received(_ count: Int) {
    total &+= UInt64(max(count, 0))
  }

  /// The peer wants to hear of this many bytes each time; 0 says nothing.
  mutating func setWindow(_ size: UInt32) {
    if size > 0 { window = UInt64(size) }
  }

  /// The number to send, if a window is full.
  mutating func due() -> UInt32? {
    guard total &- acknowledged >= window else { return nil }
    acknowledged = total
    return UInt32(truncatingIfNeeded: total)
  }
}
