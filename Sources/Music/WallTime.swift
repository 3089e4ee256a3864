/// An instant of wall time, in nanoseconds since 1970-01-01T00:00:00Z; informative only, never used to place a
/// sample.
///
/// Times come from files and networks; those beyond the range of 64 bits are clamped. The nanoseconds are private,
/// and the operators below cannot trap.
package struct WallTime: Hashable, Comparable, Sendable {
  private let nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  package static func < (left: WallTime, right: WallTime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The span between two times; `Duration` can represent any.
  package static func - (later: WallTime, earlier: WallTime) -> Duration {
    .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
  }

  /// The time later by `span`, clamped to the range.
  package static func + (time: WallTime, span: Duration) -> WallTime {
    let sum = .nanoseconds(time.nanoseconds) + bounded(span)
    if sum >= .nanoseconds(Int64.max) { return WallTime(nanoseconds: .max) }
    if sum <= .nanoseconds(Int64.min) { return WallTime(nanoseconds: .min) }
    let (seconds, attoseconds) = sum.components
    return WallTime(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// The time earlier by `span`, clamped to the range.
  package static func - (time: WallTime, span: Duration) -> WallTime { time + (.zero - bounded(span)) }

  /// Clamps a span to the distance between the first and the last time.
  private static func bounded(_ span: Duration) -> Duration {
    let longest = Duration.nanoseconds(Int64.max) - .nanoseconds(Int64.min)
    return min(max(span, .zero - longest), longest)
  }

  /// The nanoseconds as stored in the journal, not for arithmetic.
  package var bitPattern: UInt64 { UInt64(bitPattern: nanoseconds) }

  /// Nanoseconds since midnight in UTC.
  package var nanosecondsOfDay: Int64 {
    let day: Int64 = 86_400_000_000_000
    let rest = nanoseconds % day
    return rest < 0 ? rest + day : rest
  }

  /// Seconds since 1970, rounded down.
  package var seconds: Int64 { floorDivide(nanoseconds, 1_000_000_000) }

  /// Milliseconds since 1970, rounded down, as stored in the index.
  package var milliseconds: Int64 { floorDivide(nanoseconds, 1_000_000) }

  package init(milliseconds: Int64) {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : product
  }
}

extension WallTime: LosslessStringConvertible {
  /// RFC 3339 in UTC with milliseconds: "2026-11-21T02:56:09.123Z".
  package var description: String { String(unsafeUninitializedCapacity: 24, initializingUTF8With: write) }

  /// Writes the 24 characters and returns their number: a page of a list has a hundred times, and no need of strings.
  package func write(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let milliseconds = milliseconds
    let days = Int(floorDivide(milliseconds, 86_400_000))
    let ofDay = Int(milliseconds - Int64(days) * 86_400_000)
    let (year, month, day) = WallTime.civil(fromDays: days)
    var end = 0
    func write(_ value: Int, _ width: Int, _ separator: UInt8) {
      var rest = value
      for index in (end..<end + width).reversed() {
        text[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      text[end + width] = separator
      end += width + 1
    }
    write(year, 4, UInt8(ascii: "-"))
    write(month, 2, UInt8(ascii: "-"))
    write(day, 2, UInt8(ascii: "T"))
    write(ofDay / 3_600_000, 2, UInt8(ascii: ":"))
    write(ofDay / 60_000 % 60, 2, UInt8(ascii: ":"))
    write(ofDay / 1_000 % 60, 2, UInt8(ascii: "."))
    write(ofDay % 1_000, 3, UInt8(ascii: "Z"))
    return end
  }

  /// Only the date, "2026-11-21", in UTC; used in names of folders.
  package var date: String { String(description.prefix(10)) }

  /// Parses RFC 3339 with any offset and fraction, nil for anything else; times outside 1677…2262 are clamped.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[range] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    func has(_ character: Character, at index: Int) -> Bool {
      index < bytes.count && bytes[index] == character.asciiValue
    }
    guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
      let day = number(8..<10), has("T", at: 10) || has("t", at: 10) || has(" ", at: 10),
      let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16), has(":", at: 16),
      let second = number(17..<19), (1...12).contains(month), day >= 1,
      day <= WallTime.daysInMonth(month, of: year), hour < 24, minute < 60, second <= 60
    else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if has(".", at: index) {
      index += 1
      var scale: Int64 = 100_000_000
      let start = index
      while index < bytes.count, bytes[index] >= 0x30, bytes[index] <= 0x39 {
        fraction += Int64(bytes[index] - 0x30) * scale
        scale /= 10
        index += 1
      }
      guard index > start else { return nil }
    }
    var offset = 0
    if has("Z", at: index) || has("z", at: index) {
      index += 1
    } else if has("+", at: index) || has("-", at: index) {
      guard let hours = number(index + 1..<index + 3), has(":", at: index + 3),
        let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * 60 * (has("-", at: index) ? -1 : 1)
      index += 6
    } else {
      return nil
    }
    guard index == bytes.count else { return nil }
    let days = WallTime.days(fromYear: year, month: month, day: day)
    let seconds = Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (total, isBeyond) = scaled.addingReportingOverflow(fraction)
    // Times outside 1677…2262 are so far from any take that the limits mean the same in a search.
    nanoseconds = overflow || isBeyond ? (seconds < 0 ? .min : .max) : total
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970 to a civil date (H. Hinnant, "chrono-compatible low-level date algorithms").
  private static func days(fromYear year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
  }
}

private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}

extension WallTime: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = WallTime(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not an RFC 3339 time such as 2026-11-21T02:56:09.123Z")
    }
    self = time
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
