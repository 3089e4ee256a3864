import Machines

/// A 64-bit NTP timestamp: seconds since 1900 and a 32-bit fraction (RFC 3550 §4, RFC 5905 §6).
package struct NTPTime: Hashable, Sendable, Codable {
  /// Seconds between the NTP epoch (1900) and the Unix epoch (1970).
  package static let secondsToUnix: Int64 = 2_208_988_800
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Seconds in the upper 32 bits, fraction in the lower.
  package var bits: UInt64

  package init(bits: UInt64) {
    self.bits = bits
  }

  package init(seconds: UInt32, fraction: UInt32) {
    bits = UInt64(seconds) &<< 32 | UInt64(fraction)
  }

  /// Creates the time `nanoseconds` after the NTP epoch, rounded to 2⁻³² s; wraps at 2³² s as NTP does.
  package init(nanoseconds: Int64) {
    var seconds = nanoseconds / Self.nanosecondsPerSecond
    var rest = nanoseconds % Self.nanosecondsPerSecond
    if rest < 0 {
      rest &+= Self.nanosecondsPerSecond
      seconds &-= 1
    }
    let billion = UInt64(Self.nanosecondsPerSecond)
    let fraction = (UInt64(rest) &<< 32 &+ billion / 2) / billion
    // Added rather than or-ed: a fraction that rounds up to a whole second carries.
    bits = UInt64(bitPattern: seconds) &<< 32 &+ fraction
  }

  /// The time `unixNanoseconds` after 1970.
  package init(unixNanoseconds: Int64) {
    let seconds = Self.floorDivide(unixNanoseconds, Self.nanosecondsPerSecond)
    let rest = unixNanoseconds &- seconds &* Self.nanosecondsPerSecond
    self.init(nanoseconds: rest)
    bits = bits &+ UInt64(bitPattern: seconds &+ Self.secondsToUnix) &<< 32
  }

  package var seconds: UInt32 { UInt32(truncatingIfNeeded: bits &>> 32) }
  package var fraction: UInt32 { UInt32(truncatingIfNeeded: bits) }

  /// Nanoseconds since the NTP epoch of this era, rounded; the inverse of `init(nanoseconds:)`.
  package var nanoseconds: Int64 {
    let rest = (UInt64(fraction) &* UInt64(Self.nanosecondsPerSecond) &+ 1 &<< 31) &>> 32
    return Int64(seconds) &* Self.nanosecondsPerSecond &+ Int64(rest)
  }

  /// Nanoseconds since 1970; times before 1968 are assigned to the era that begins in 2036 (RFC 2030 §3).
  package var unixNanoseconds: Int64 {
    let era: Int64 = seconds & 0x8000_0000 == 0 ? 1 &<< 32 : 0
    let rest = nanoseconds &- Int64(seconds) &* Self.nanosecondsPerSecond
    return (Int64(seconds) &+ era &- Self.secondsToUnix) &* Self.nanosecondsPerSecond &+ rest
  }

  /// The middle 32 bits, in 1/65536 s, used as LSR in reports (RFC 3550 §6.4.1).
  package var middle: UInt32 { UInt32(truncatingIfNeeded: bits &>> 16) }

  /// Nanoseconds from `earlier` to this time, negative if `earlier` is later; the shorter way around the era.
  package func nanoseconds(since earlier: NTPTime) -> Int64 {
    let difference = Int64(bitPattern: bits &- earlier.bits)
    let seconds = difference &>> 32
    let fraction = UInt64(truncatingIfNeeded: difference) & 0xFFFF_FFFF
    let rest = (fraction &* UInt64(Self.nanosecondsPerSecond) &+ 1 &<< 31) &>> 32
    return seconds &* Self.nanosecondsPerSecond &+ Int64(rest)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient &- 1 : quotient
  }
}

/// Our wall clock for reports: the monotonic clock with one anchor, so that steps of the wall clock have no effect.
package struct NTPClock: Hashable, Sendable {
  private let anchor: NTPTime
  private let instant: MonotonicTime

  /// Creates a clock with the value `anchor` at `instant`. By default it shows the time since the monotonic clock's
  /// start, which RFC 3550 §6.4.1 permits.
  package init(anchor: NTPTime = NTPTime(bits: 0), at instant: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
    self.anchor = anchor
    self.instant = instant
  }

  /// The clock's value at `time`.
  package func time(at time: MonotonicTime) -> NTPTime {
    // in range: times saturate
    let offset = NTPTime(nanoseconds: (time - instant).nanoseconds)
    return NTPTime(bits: anchor.bits &+ offset.bits)
  }

  /// Converts a span to the 1/65536 s of reports; saturates at 0 and at 18 hours.
  static func ticks(_ span: MonotonicTime.Span) -> UInt32 {
    let (seconds, rest) = max(span, .zero).nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return UInt32(clamping: seconds &<< 16 &+ rest &<< 16 / 1_000_000_000)
  }

  /// Converts `ticks` of 1/65536 s to a span.
  static func span(ticks: UInt32) -> MonotonicTime.Span { .nanoseconds((Int64(ticks) &* 1_000_000_000) &>> 16) }
}
