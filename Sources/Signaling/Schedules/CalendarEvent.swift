import Music

/// An event of a calendar, once or repeated.
struct CalendarEvent: Hashable, Sendable {
  var start: CalendarTime
  /// In seconds; more than 0.
  var length: Int64
  var rule: CalendarRule?
  /// Repetitions that are left out.
  var exceptions: Set<WallTime> = []

  /// The first time of it that ends after `time`; nil if there is none any more.
  func window(endingAfter time: WallTime, _ zones: CalendarZones) -> Schedule.Window? {
    var found: Schedule.Window?
    func visit(_ day: Int64) -> Bool {
      let moment = start.on(day)
      let from = moment.moment(zones)
      switch rule?.until {
      case .moment(let last)?: if from > last.moment(zones) { return false }
      case .day(let last)?: if day > last { return false }
      case nil: break
      }
      let to = from + .seconds(length)  // in range: WallTime saturates
      guard to > time, !exceptions.contains(from) else { return true }
      found = Schedule.Window(from: from, to: to)
      return false
    }
    guard let rule else {
      _ = visit(start.day)
      return found
    }
    // One day for the zone, one for what is left of a day.
    let near = time.seconds / CalendarTime.daySeconds &- length / CalendarTime.daySeconds &- 2
    rule.days(from: start.day, near: near, visit)
    return found
  }
}

/// Collects the lines of a VEVENT.
struct CalendarEventLines {
  let number: Int
  private var lines: [String: CalendarLine] = [:]
  private var exceptions: [CalendarLine] = []

  private static let longest: Int64 = 31 * 86_400
  private static let maximumExceptions = 1_000
  private static let kept: Set<String> = ["DTSTART", "DTEND", "RRULE", "STATUS"]
  /// What says when an event is, and is not read here.
  private static let refused = [
    "RDATE": "give each time an event of its own",
    "RECURRENCE-ID": "use EXDATE, and give the changed time an event of its own",
    "EXRULE": "use EXDATE", "DURATION": "use DTEND",
  ]

  init(at number: Int) {
    self.number = number
  }

  mutating func add(_ line: CalendarLine) throws(ScheduleFault) {
    if let remedy = CalendarEventLines.refused[line.name] {
      throw ScheduleFault(line.number, "\(line.name) is not supported; \(remedy)")
    }
    if line.name == "EXDATE" { exceptions.append(line) }
    guard CalendarEventLines.kept.contains(line.name) else { return }
    guard lines.updateValue(line, forKey: line.name) == nil else {
      throw ScheduleFault(line.number, "the event has two of \(line.name)")
    }
  }

  /// Nil for an event that is cancelled.
  func event(_ zones: CalendarZones) throws(ScheduleFault) -> CalendarEvent? {
    if lines["STATUS"]?.value.uppercased() == "CANCELLED" { return nil }
    guard let startLine = lines["DTSTART"] else { throw ScheduleFault(number, "the event has no DTSTART") }
    guard let endLine = lines["DTEND"] else { throw ScheduleFault(number, "the event has no DTEND") }
    let start = try CalendarEventLines.time(startLine, startLine.value, zones)
    let end = try CalendarEventLines.time(endLine, endLine.value, zones)
    let seconds = end.moment(zones).seconds &- start.moment(zones).seconds
    guard seconds > 0 else { throw ScheduleFault(endLine.number, "DTEND must be later than DTSTART") }
    guard seconds <= CalendarEventLines.longest else {
      throw ScheduleFault(endLine.number, "the event is longer than 31 days")
    }
    var event = CalendarEvent(start: start, length: seconds)
    if let line = lines["RRULE"] { event.rule = try CalendarRule(line, zone: startLine.parameters["TZID"]) }
    for line in exceptions {
      for text in line.value.split(separator: ",") {
        event.exceptions.insert(try CalendarEventLines.time(line, String(text), zones).moment(zones))
        guard event.exceptions.count <= CalendarEventLines.maximumExceptions else {
          throw ScheduleFault(line.number, "more than \(CalendarEventLines.maximumExceptions) EXDATE of one event")
        }
      }
    }
    return event
  }

  private static func time(
    _ line: CalendarLine, _ text: String, _ zones: CalendarZones
  ) throws(ScheduleFault) -> CalendarTime {
    let kind = line.parameters["VALUE"]?.uppercased() ?? "DATE-TIME"
    guard kind == "DATE-TIME" else {
      throw ScheduleFault(
        line.number, "VALUE=\(kind.shortened(to: 20)) of \(line.name) is not supported; give a time: 20261121T190000Z")
    }
    let zone = line.parameters["TZID"]
    if let zone, zones.offset(zone, WallTime(milliseconds: 0)) == nil {
      throw ScheduleFault(
        line.number, "the zone \"\(zone.shortened(to: 40))\" is not known; permitted: names such as Europe/Berlin")
    }
    return try CalendarTime(text, zone: zone, line.number)
  }
}
