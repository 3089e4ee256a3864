import Music

/// A time as a calendar has it: a day and a time of day, in some zone.
struct CalendarTime: Hashable, Sendable {
  enum Zone: Hashable, Sendable {
    case utc
    /// By its name in the database of zones (IANA).
    case named(String)
    /// Wherever one is; for a service, its own zone.
    case floating
  }

  /// Since 1970-01-01.
  var day: Int64
  /// 0 to 86,400.
  var second: Int64
  var zone: Zone

  /// Years that a calendar may name: WallTime ends in 2262, and no wish is for a year before this program.
  static let years = 1_970...2_200

  /// Reads "20261121T190000" and "20261121T190000Z".
  init(_ text: some StringProtocol, zone name: String?, _ line: Int) throws(ScheduleFault) {
    let bytes = Array(text.utf8)
    let isUTC = bytes.last == UInt8(ascii: "Z")
    guard bytes.count == (isUTC ? 16 : 15), bytes[8] == UInt8(ascii: "T") else {
      throw ScheduleFault(
        line, "\"\(String(text).shortened(to: 40))\" is no time such as 20261121T190000 or 20261121T190000Z")
    }
    guard !isUTC || name == nil else { throw ScheduleFault(line, "a time in UTC has no TZID") }
    let seconds = try CalendarTime.seconds(bytes, line)
    (day, second) = (seconds / CalendarTime.daySeconds, seconds % CalendarTime.daySeconds)
    zone = isUTC ? .utc : name.map { .named($0) } ?? .floating
  }

  /// Reads a date, "20261121".
  static func day(_ text: some StringProtocol, _ line: Int) throws(ScheduleFault) -> Int64 {
    let bytes = Array(text.utf8)
    guard bytes.count == 8 else {
      throw ScheduleFault(line, "\"\(String(text).shortened(to: 40))\" is no date such as 20261121")
    }
    return try seconds(bytes + Array("T000000".utf8), line) / daySeconds
  }

  static let daySeconds: Int64 = 86_400

  /// Since 1970 as if in UTC; at least 0.
  private static func seconds(_ bytes: [UInt8], _ line: Int) throws(ScheduleFault) -> Int64 {
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    let shown = String(decoding: bytes, as: UTF8.self)
    let date = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
    guard let time = WallTime("\(date)T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z") else {
      throw ScheduleFault(line, "there is no time \"\(shown.shortened(to: 40))\"")
    }
    guard let year = Int(part(0..<4)), years.contains(year) else {
      throw ScheduleFault(line, "the year is not one of \(years.lowerBound) to \(years.upperBound)")
    }
    return time.seconds
  }

  /// The same time of another day.
  func on(_ day: Int64) -> CalendarTime {
    var other = self
    other.day = day
    return other
  }

  /// The moment that it is.
  ///
  /// A time that a change of the clocks leaves out is read by the offset before it, and of one that it brings twice the
  /// first counts (RFC 5545 section 3.3.5).
  func moment(_ zones: CalendarZones) -> WallTime {
    // in range: years to 2200
    let local = day * CalendarTime.daySeconds + second
    let name: String?
    switch zone {
    case .utc: return CalendarTime.wall(local)
    case .named(let text): name = text
    case .floating: name = nil
    }
    func offset(at seconds: Int64) -> Int64 { Int64(zones.offset(name, CalendarTime.wall(seconds)) ?? 0) }
    let before = offset(at: local &- CalendarTime.daySeconds)
    let first = local &- before
    if offset(at: first) == before { return CalendarTime.wall(first) }
    let second = local &- offset(at: first)
    return CalendarTime.wall(local &- offset(at: second) == second ? second : first)
  }

  private static func wall(_ seconds: Int64) -> WallTime {
    WallTime(milliseconds: seconds.multipliedReportingOverflow(by: 1_000).partialValue)
  }

  /// Monday is 0. The first of January 1970 was a Thursday.
  static func weekday(_ day: Int64) -> Int { Int(((day &+ 3) % 7 &+ 7) % 7) }
}

/// The zones of the world, which the shell knows.
package struct CalendarZones: Sendable {
  /// Seconds east of Greenwich in a zone at a moment; nil for a zone that is not known. No name is the zone here.
  package let offset: @Sendable (_ name: String?, _ moment: WallTime) -> Int?

  package init(offset: @escaping @Sendable (_ name: String?, _ moment: WallTime) -> Int?) {
    self.offset = offset
  }
}
