import Foundation
import Music
import Testing

@testable import Signaling

/// When a bot comes, by calendars as programs write them.
@Suite struct ScheduleTests {
  /// The zone here is that of New York.
  private static let zones = CalendarZones { name, moment in
    TimeZone(identifier: name ?? "America/New_York")?
      .secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.seconds)))
  }

  private static func text(_ lines: [String]) -> String {
    (["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR"])
      .joined(separator: "\r\n")
  }

  private func schedule(_ lines: String...) throws -> Schedule {
    try Schedule(ScheduleTests.text(lines), ScheduleTests.zones)
  }

  /// The first windows from `start` on: "from/to" in UTC, without seconds.
  private func windows(_ schedule: Schedule, from start: String, _ count: Int) throws -> [String] {
    var now = try #require(WallTime(start))
    var found: [String] = []
    while found.count < count, let window = schedule.window(after: now, ScheduleTests.zones) {
      found.append("\(window.from.description.prefix(16))/\(window.to.description.prefix(16))")
      now = window.to
    }
    return found
  }

  private func fault(_ lines: [String]) -> String {
    do throws(ScheduleFault) {
      _ = try Schedule(ScheduleTests.text(lines), ScheduleTests.zones)
      return "none"
    } catch {
      return error.description
    }
  }

  @Test func anEventHappensOnce() throws {
    let once = try schedule("DTSTART:20261121T190000Z", "DTEND:20261121T213000Z")
    let found = try windows(once, from: "2026-01-01T00:00:00Z", 3)
    #expect(found == ["2026-11-21T19:00/2026-11-21T21:30"])
    let during = try windows(once, from: "2026-11-21T20:00:00Z", 3)
    #expect(during == found)
    let after = try windows(once, from: "2026-11-21T21:30:00Z", 3)
    #expect(after.isEmpty)
  }

  /// The music begins at seven on the wall, in summer and in winter.
  @Test func aWeeklyEventKeepsItsTimeOfDayOverAChangeOfTheClocks() throws {
    let weekly = try schedule(
      "DTSTART;TZID=Europe/Berlin:20261020T190000", "DTEND;TZID=Europe/Berlin:20261020T210000",
      "RRULE:FREQ=WEEKLY;COUNT=3")
    let found = try windows(weekly, from: "2026-01-01T00:00:00Z", 9)
    #expect(
      found == [
        "2026-10-20T17:00/2026-10-20T19:00", "2026-10-27T18:00/2026-10-27T20:00", "2026-11-03T18:00/2026-11-03T20:00",
      ])
  }

  @Test func aTimeWithoutAZoneIsInTheZoneHere() throws {
    let floating = try schedule("DTSTART:20260701T190000", "DTEND:20260701T200000")
    let found = try windows(floating, from: "2026-01-01T00:00:00Z", 2)
    #expect(found == ["2026-07-01T23:00/2026-07-02T00:00"])
  }

  /// 02:30 does not exist in Berlin on 29 March 2026, and exists twice on 25 October.
  @Test func timesThatAChangeOfTheClocksSkipsOrRepeatsAreReadAsRFC5545Says() throws {
    let skipped = try schedule(
      "DTSTART;TZID=Europe/Berlin:20260329T023000", "DTEND;TZID=Europe/Berlin:20260329T040000")
    let first = try windows(skipped, from: "2026-01-01T00:00:00Z", 1)
    #expect(first == ["2026-03-29T01:30/2026-03-29T02:00"])
    let repeated = try schedule(
      "DTSTART;TZID=Europe/Berlin:20261025T023000", "DTEND;TZID=Europe/Berlin:20261025T040000")
    let second = try windows(repeated, from: "2026-01-01T00:00:00Z", 1)
    #expect(second == ["2026-10-25T00:30/2026-10-25T03:00"])
  }

  @Test func weekdaysIntervalsAndExceptions() throws {
    let rule = try schedule(
      "DTSTART:20260105T180000Z", "DTEND:20260105T190000Z", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20260201",
      "EXDATE:20260108T180000Z,20260119T180000Z")
    let found = try windows(rule, from: "2026-01-01T00:00:00Z", 9)
    #expect(found == ["2026-01-05T18:00/2026-01-05T19:00", "2026-01-22T18:00/2026-01-22T19:00"])
  }

  /// RFC 5545, section 3.3.10: the same rule means other days where the week begins on Sunday.
  @Test func theBeginningOfTheWeekMatters() throws {
    var all: [[String]] = []
    for start in ["MO", "SU"] {
      let rule = try schedule(
        "DTSTART:19970805T090000Z", "DTEND:19970805T100000Z",
        "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=\(start)")
      all.append(try windows(rule, from: "1997-01-01T00:00:00Z", 9).map { String($0.prefix(10)) })
    }
    #expect(all[0] == ["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"])
    #expect(all[1] == ["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"])
  }

  @Test func aDailyEventWithoutAnEndIsFoundFarAway() throws {
    let daily = try schedule("DTSTART:19700101T120000Z", "DTEND:19700101T123000Z", "RRULE:FREQ=DAILY;INTERVAL=3")
    let found = try windows(daily, from: "2026-11-21T00:00:00Z", 2)
    #expect(found == ["2026-11-21T12:00/2026-11-21T12:30", "2026-11-24T12:00/2026-11-24T12:30"])
  }

  @Test func eventsThatTouchAreOne() throws {
    let event = ["BEGIN:VEVENT", "DTSTART:20261121T200000Z", "DTEND:20261121T220000Z"]
    let both = ScheduleTests.text(
      ["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "END:VEVENT"] + event)
    let schedule = try Schedule(both, ScheduleTests.zones)
    let found = try windows(schedule, from: "2026-01-01T00:00:00Z", 3)
    #expect(found == ["2026-11-21T19:00/2026-11-21T22:00"])
  }

  @Test func foldedLinesAlarmsZonesAndWhatNobodyAsksForAreReadOver() throws {
    let text = [
      "\u{FEFF}BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Europe/Berlin", "BEGIN:STANDARD", "DTSTART:16010101T000000",
      "RRULE:FREQ=YEARLY;BYMONTH=10", "END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT",
      "SUMMARY;X=\"a:b;c\":Band", "  practice", "DTSTART:2026", " 1121T19", "\t0000Z", "DTEND:20261121T200000Z",
      "BEGIN:VALARM", "TRIGGER:-PT15M", "DURATION:PT5M", "END:VALARM", "END:VEVENT", "BEGIN:VEVENT", "STATUS:CANCELLED",
      "DTSTART:20261120T190000Z", "END:VEVENT", "END:VCALENDAR", "",
    ].joined(separator: "\n")
    let schedule = try Schedule(text, ScheduleTests.zones)
    let found = try windows(schedule, from: "2026-01-01T00:00:00Z", 3)
    #expect(found == ["2026-11-21T19:00/2026-11-21T20:00"])
  }

  @Test(arguments: [
    (["DTSTART:00010101T000000Z", "DTEND:00010101T010000Z"], "line 4: the year"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T180000Z"], "line 5: DTEND must be later"),
    (["DTSTART:20261121T190000Z"], "DTEND"), (["DTEND:20261121T190000Z"], "DTSTART"),
    (["DTSTART:20260230T190000Z", "DTEND:20261121T180000Z"], "there is no time"),
    (["DTSTART;VALUE=DATE:20261121", "DTEND;VALUE=DATE:20261122"], "VALUE=DATE"),
    (["DTSTART;TZID=Mars/Olympus:20261121T190000", "DTEND:20261121T200000Z"], "Mars/Olympus"),
    (["DTSTART:20261121T190000Z", "DURATION:PT1H"], "DURATION is not supported"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "RDATE:20261128T190000Z"], "RDATE is not supported"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "RRULE:FREQ=MONTHLY"], "FREQ=MONTHLY is not supported"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "RRULE:FREQ=DAILY;BYMONTH=1"], "BYMONTH"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "RRULE:FREQ=WEEKLY;BYDAY=1MO"], "BYDAY=1MO"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "RRULE:FREQ=DAILY;COUNT=0"], "COUNT must be"),
    (["DTSTART:20261121T190000Z", "DTEND:20261121T200000Z", "RRULE:COUNT=1"], "has no FREQ"),
    (["DTSTART:20261121T190000Z", "DTEND:20271121T200000Z"], "31 days"),
    (["DTSTART"], "NAME:VALUE"),
  ])
  func whatIsNotReadIsRefusedByItsName(_ lines: [String], _ words: String) {
    let sentence = fault(lines)
    #expect(sentence.contains(words), "\(sentence)")
  }

  @Test func whatIsNoCalendarIsRefusedHoweverLong() {
    let texts = [
      "", " ", "hello", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR\nEND:VCALENDAR", "END:VCALENDAR",
      String(repeating: "BEGIN:VEVENT\n", count: 1_000_000),
    ]
    for text in texts {
      #expect(throws: ScheduleFault.self) { try Schedule(text, ScheduleTests.zones) }
    }
  }

  /// No Monday is ever a third day that is a Tuesday: the search ends.
  @Test func aRuleThatNeverMatchesIsOver() throws {
    let never = try schedule(
      "DTSTART:20260106T120000Z", "DTEND:20260106T130000Z", "RRULE:FREQ=DAILY;INTERVAL=7;BYDAY=MO")
    let found = try windows(never, from: "2026-01-01T00:00:00Z", 3)
    #expect(found == ["2026-01-06T12:00/2026-01-06T13:00"])
  }
}
