import Music

/// The place of a take in the full-text index, whose order is that of time.
///
/// A place is the millisecond of the start with ten bits below it, so that takes of one millisecond have places of
/// their own. (More bits would make every entry of the index longer.)
enum TakePlace {
  private static let bits: Int64 = 10
  /// The milliseconds for which there are places: 1970 to the year 200,000; other times have the nearest.
  private static let range: ClosedRange<Int64> = 0...(1 << 52)

  /// The places of a time.
  static func range(of time: WallTime) -> Range<Int64> {
    let first = first(of: time)
    return first..<first + (1 << bits)
  }

  /// The lowest place of a time.
  static func first(of time: WallTime) -> Int64 {
    min(max(time.milliseconds, range.lowerBound), range.upperBound) << bits
  }
}
