/// An instant on the machine's monotonic clock, in nanoseconds since an arbitrary start.
///
/// Machines receive the time and never read a clock. Wall time is kept separately, so its steps cannot move samples.
public struct MonotonicTime: Hashable, Comparable, Sendable, Codable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  @inlinable public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant later by `span`; saturates instead of trapping, because spans may come from outside.
  @inlinable public static func + (time: MonotonicTime, span: Span) -> MonotonicTime {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return MonotonicTime(nanoseconds: overflow ? (span.nanoseconds < 0 ? .min : .max) : sum)
  }

  @inlinable public static func - (time: MonotonicTime, span: Span) -> MonotonicTime {
    let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(span.nanoseconds)
    return MonotonicTime(nanoseconds: overflow ? (span.nanoseconds < 0 ? .max : .min) : difference)
  }

  /// The span from `earlier` to `later`; saturates.
  @inlinable public static func - (later: MonotonicTime, earlier: MonotonicTime) -> Span {
    let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return Span(nanoseconds: overflow ? (earlier.nanoseconds < 0 ? .max : .min) : difference)
  }

  /// By how much another machine's wall clock may run apart from this clock, in ppm: NTP's limit, or a bad crystal without it.
  public static let greatestDivergence: Int64 = 100

  /// A length of time in whole nanoseconds.
  ///
  /// Unlike `Swift.Duration`, it avoids 128-bit attoseconds, which cost a multiplication and a division per packet. Its
  /// arithmetic saturates at 292 years, because lengths come from outside too.
  public struct Span: Hashable, Comparable, Sendable, Codable {
    public var nanoseconds: Int64

    @inlinable public init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }

    @inlinable public static func nanoseconds(_ count: Int64) -> Span { Span(nanoseconds: count) }
    @inlinable public static func microseconds(_ count: Int64) -> Span { Span(nanoseconds: 1_000) * count }
    @inlinable public static func milliseconds(_ count: Int64) -> Span { Span(nanoseconds: 1_000_000) * count }
    @inlinable public static func seconds(_ count: Int64) -> Span { Span(nanoseconds: 1_000_000_000) * count }
    @inlinable public static var zero: Span { Span(nanoseconds: 0) }

    /// Seconds, as a fraction, for display and for models.
    @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }
    /// Milliseconds, as a fraction.
    @inlinable public var milliseconds: Double { Double(nanoseconds) / 1e6 }

    @inlinable public static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
    @inlinable public static func + (left: Span, right: Span) -> Span {
      let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
      return Span(nanoseconds: overflow ? (right.nanoseconds < 0 ? .min : .max) : sum)
    }

    @inlinable public static func - (left: Span, right: Span) -> Span {
      let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
      return Span(nanoseconds: overflow ? (right.nanoseconds < 0 ? .max : .min) : difference)
    }

    @inlinable public static func * (span: Span, factor: Int64) -> Span {
      let (product, overflow) = span.nanoseconds.multipliedReportingOverflow(by: factor)
      return Span(nanoseconds: overflow ? ((span.nanoseconds < 0) == (factor < 0) ? .max : .min) : product)
    }

    /// Division by 0 gives the longest span of that sign.
    @inlinable public static func / (span: Span, divisor: Int64) -> Span {
      let (quotient, overflow) = span.nanoseconds.dividedReportingOverflow(by: divisor)
      return Span(nanoseconds: overflow ? (span.nanoseconds < 0 && divisor == 0 ? .min : .max) : quotient)
    }
  }
}
