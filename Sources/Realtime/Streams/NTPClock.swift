import Machines

/// Our wall clock as reports show it: the monotonic clock with one anchor, so that no step of the wall clock enters.
package struct NTPClock: Hashable, Sendable {
  private let anchor: NTPTime
  private let instant: MonotonicTime

  /// A clock that showed `anchor` at `instant`; by default it shows the time since the monotonic clock's start, which
  /// RFC 3550 §6.4.1 allows.
  package init(anchor: NTPTime = NTPTime(bits: 0), at instant: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
    self.anchor = anchor
    self.instant = instant
  }

  /// What the clock shows at `time`.
  package func time(at time: MonotonicTime) -> NTPTime {
    let offset = NTPTime(nanoseconds: (time - instant).nanoseconds)
    return NTPTime(bits: anchor.bits &+ offset.bits)
  }

  /// A span in the 1/65536 s of reports; saturates at 0 and at 18 hours.
  static func ticks(_ span: MonotonicTime.Span) -> UInt32 {
    let (seconds, rest) = max(span, .zero).nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return UInt32(clamping: seconds &<< 16 &+ rest &<< 16 / 1_000_000_000)
  }

  /// The span of `ticks` in 1/65536 s.
  static func span(ticks: UInt32) -> MonotonicTime.Span { .nanoseconds((Int64(ticks) &* 1_000_000_000) &>> 16) }
}
