import Machines

extension MonotonicTime {
  /// Virtual time for tests: so many milliseconds after the start.
  static func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }
}
