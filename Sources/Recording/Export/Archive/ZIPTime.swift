import Music

/// A time as ZIP archives hold it: in DOS's words (UTC here, two seconds fine) and in Unix seconds.
struct ZIPTime: Hashable, Sendable {
  /// Hours, minutes and half seconds in 5, 6 and 5 bits.
  let time: UInt16
  /// Years since 1980, month and day in 7, 4 and 5 bits.
  let date: UInt16
  /// Seconds since 1970, nil where they do not fit the extra field's 32 bits (from 2038 on).
  let unix: Int32?

  /// 1980-01-01: the earliest that DOS knows.
  private static let earliest: Int64 = 315_532_800
  /// 2107-12-31 23:59:58: the latest.
  private static let latest: Int64 = 4_354_819_198

  init(_ wall: WallTime) {
    // Rounded down, for a file is never younger than it says.
    let seconds = wall.milliseconds >= 0 ? wall.milliseconds / 1_000 : (wall.milliseconds - 999) / 1_000
    unix = Int32(exactly: seconds)
    let clamped = min(max(seconds, ZIPTime.earliest), ZIPTime.latest)
    let digits = Array(WallTime(milliseconds: clamped * 1_000).description.utf8)
    func number(_ range: Range<Int>) -> Int {
      digits[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
    // "2026-11-21T02:56:09.123Z", always of this shape between 1980 and 2107.
    date = UInt16((number(0..<4) - 1_980) << 9 | number(5..<7) << 5 | number(8..<10))
    time = UInt16(number(11..<13) << 11 | number(14..<16) << 5 | number(17..<19) / 2)
  }
}
