import Music

/// When a bot comes and leaves, by the events of an iCalendar text (RFC 5545).
package struct Schedule: Hashable, Sendable {
  package struct Window: Hashable, Sendable {
    package var from: WallTime
    package var to: WallTime
  }

  /// Longest text, in bytes (half of what a string of JSON may have, so that the fault is ours to say), and most events.
  package static let longest = 65_536
  package static let maximumEvents = 64
  /// Most events that follow each other without a pause and are taken together.
  private static let mostTogether = 16

  package let text: String
  private let events: [CalendarEvent]

  /// - Throws: `ScheduleFault` that names the line and what is not supported.
  package init(_ text: String, _ zones: CalendarZones) throws(ScheduleFault) {
    guard text.utf8.count <= Schedule.longest else {
      throw ScheduleFault(nil, "the calendar has more than \(Schedule.longest >> 10) KiB")
    }
    self.text = text
    let lines = try CalendarLine.lines(of: text)
    guard let first = lines.first, (first.name, first.value.uppercased()) == ("BEGIN", "VCALENDAR") else {
      throw ScheduleFault(lines.first?.number, "that is no iCalendar: it does not begin with BEGIN:VCALENDAR")
    }
    var events: [CalendarEvent] = []
    /// The names of what has begun and not ended.
    var open: [String] = []
    var event: CalendarEventLines?
    for line in lines {
      switch line.name {
      case "BEGIN":
        open.append(line.value.uppercased())
        // Of what is within an event (an alarm) nothing matters, nor of what is beside it (a zone).
        if open == ["VCALENDAR", "VEVENT"] { event = CalendarEventLines(at: line.number) }
        guard open.count <= 8 else { throw ScheduleFault(line.number, "BEGIN within BEGIN, eight times") }
      case "END":
        guard open.last == line.value.uppercased() else {
          throw ScheduleFault(line.number, "END:\(line.value.shortened(to: 40)) has no BEGIN")
        }
        open.removeLast()
        guard open.count == 1, let ended = event else { continue }
        event = nil
        if let made = try ended.event(zones) { events.append(made) }
        guard events.count <= Schedule.maximumEvents else {
          throw ScheduleFault(line.number, "the calendar has more than \(Schedule.maximumEvents) events")
        }
      default: if open.count == 2 { try event?.add(line) }
      }
    }
    if let name = open.last { throw ScheduleFault(nil, "END:\(name.shortened(to: 40)) is missing") }
    guard !events.isEmpty else { throw ScheduleFault(nil, "the calendar has no event (VEVENT)") }
    self.events = events
  }

  /// The present window or the next; events that touch each other are one. Nil if nothing comes any more.
  package func window(after now: WallTime, _ zones: CalendarZones) -> Window? {
    let next = events.compactMap { $0.window(endingAfter: now, zones) }
    guard var window = next.min(by: { ($0.from, $0.to) < ($1.from, $1.to) }) else { return nil }
    for _ in 0..<Schedule.mostTogether {
      let longer = events.compactMap { $0.window(endingAfter: window.to, zones) }
        .filter { $0.from <= window.to }.map(\.to).max()
      guard let longer else { break }
      window.to = longer
    }
    return window
  }
}
