import Music

/// A rule of repetition (RFC 5545 section 3.3.10), of those that Jamjar reads: DAILY and WEEKLY.
struct CalendarRule: Hashable, Sendable {
  enum Frequency: String {
    case daily = "DAILY"
    case weekly = "WEEKLY"
  }
  enum Until: Hashable, Sendable {
    case moment(CalendarTime)
    case day(Int64)
  }

  var frequency = Frequency.daily
  var interval: Int64 = 1
  /// Monday is 0; empty for all (DAILY), or that of the beginning (WEEKLY).
  var weekdays: Set<Int> = []
  var count: Int?
  var until: Until?
  /// The first day of a week.
  var weekStart = 0

  private static let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
  /// Longest interval, in days or weeks, and most repetitions that are counted.
  private static let longestInterval: Int64 = 366
  private static let highestCount = 10_000
  /// Most days that are looked at: for the next repetition, and for all that are counted.
  private static let patience = (next: 4_000, counted: 40_000)

  init(_ line: CalendarLine, zone: String?) throws(ScheduleFault) {
    func fault(_ sentence: String) -> ScheduleFault { ScheduleFault(line.number, sentence) }
    var hasFrequency = false
    for part in line.value.uppercased().split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else {
        throw fault("RRULE has \"\(String(part).shortened(to: 40))\"; permitted: NAME=VALUE")
      }
      let (name, value) = (pair[0], pair[1])
      switch name {
      case "FREQ":
        guard let known = Frequency(rawValue: String(value)) else {
          throw fault("FREQ=\(String(value).shortened(to: 20)) is not supported; permitted: DAILY, WEEKLY")
        }
        (frequency, hasFrequency) = (known, true)
      case "INTERVAL":
        guard let number = Int64(value), (1...CalendarRule.longestInterval).contains(number) else {
          throw fault("INTERVAL must be 1 to \(CalendarRule.longestInterval)")
        }
        interval = number
      case "COUNT":
        guard let number = Int(value), (1...CalendarRule.highestCount).contains(number) else {
          throw fault("COUNT must be 1 to \(CalendarRule.highestCount)")
        }
        count = number
      case "UNTIL":
        until =
          value.utf8.count == 8
          ? .day(try CalendarTime.day(value, line.number))
          : .moment(try CalendarTime(value, zone: value.hasSuffix("Z") ? nil : zone, line.number))
      case "BYDAY":
        for word in value.split(separator: ",") {
          guard let day = CalendarRule.names.firstIndex(of: String(word)) else {
            let known = CalendarRule.names.joined(separator: ", ")
            throw fault("BYDAY=\(String(word).shortened(to: 20)) is not supported; permitted: \(known)")
          }
          weekdays.insert(day)
        }
      case "WKST":
        guard let day = CalendarRule.names.firstIndex(of: String(value)) else { throw fault("WKST must be a day: MO") }
        weekStart = day
      default:
        throw fault(
          "\(String(name).shortened(to: 20)) of RRULE is not supported; permitted: "
            + "FREQ, INTERVAL, BYDAY, COUNT, UNTIL, WKST")
      }
    }
    guard hasFrequency else { throw fault("RRULE has no FREQ") }
    guard count == nil || until == nil else { throw fault("RRULE has COUNT or UNTIL, not both") }
  }

  /// The days of an event that begins on `first`, from about `near` on; the first is always one of them. `visit` returns
  /// false for no more.
  func days(from first: Int64, near: Int64, _ visit: (Int64) -> Bool) {
    var left = count ?? .max
    guard visit(first) else { return }
    left -= 1  // in range: at least 1
    // What is counted is counted from the beginning; otherwise nothing before `near` matters.
    var day = first &+ 1
    if count == nil, near > day { day = near }
    let most = count == nil ? CalendarRule.patience.next : CalendarRule.patience.counted
    for _ in 0..<most where left > 0 {
      if matches(day, first) {
        guard visit(day) else { return }
        left -= 1  // in range: more than 0
      }
      day &+= 1
    }
  }

  private func matches(_ day: Int64, _ first: Int64) -> Bool {
    let weekday = CalendarTime.weekday(day)
    switch frequency {
    case .daily:
      return (day &- first) % interval == 0 && (weekdays.isEmpty || weekdays.contains(weekday))
    case .weekly:
      guard weekdays.isEmpty ? weekday == CalendarTime.weekday(first) : weekdays.contains(weekday) else { return false }
      return (week(of: day) &- week(of: first)) % interval == 0
    }
  }

  /// Weeks since some week, which begin on `weekStart`.
  private func week(of day: Int64) -> Int64 {
    let monday = day &+ 3 &- Int64(weekStart)
    return (monday &- (monday % 7 &+ 7) % 7) / 7
  }
}
