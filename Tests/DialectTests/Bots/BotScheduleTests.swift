import Machines
import Music
import NIOHTTP1
import Recording
import Signaling
import TestSupport
import Testing

@testable import Server

/// Bots that come and leave by a calendar.
@Suite(.timeLimit(.minutes(2))) struct BotScheduleTests {
  private static func text(from: WallTime, to: WallTime, _ more: [String] = []) -> String {
    let times = [from, to].map { $0.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z" }
    let event = ["DTSTART:\(times[0])", "DTEND:\(times[1])"] + more
    let lines = ["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + event + ["END:VEVENT", "END:VCALENDAR"]
    return lines.joined(separator: "\r\n")
  }

  private static func wish(_ calendar: String) -> JSONValue {
    ["url": "jamjar+http://127.0.0.1:1/there", "room": "here", "calendar": .string(calendar)]
  }

  private func state(_ id: String, _ service: TestService) async throws -> String {
    try await service.send(.GET, "/v1/bots/\(id)").json["state"]?.string ?? "none"
  }

  @Test func aBotComesAtItsTimeAndIsReadyBefore() async throws {
    let data = try DataFolder()
    let now = MonotonicClock.wall
    let present = BotScheduleTests.text(from: now - .seconds(3_600), to: now + .seconds(3_600))
    let later = BotScheduleTests.text(
      from: now + .seconds(86_400), to: now + .seconds(90_000), ["RRULE:FREQ=WEEKLY"])
    var ids: [String] = []
    try await TestService.with({ $0.webhooks.allowsPrivate = true }, data: data) { service in
      for text in [later, present] {
        let made = try await service.post("/v1/bots", BotScheduleTests.wish(text))
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.json["isScheduled"]?.bool == true)
        ids.append(try made.json["id"]?.string ?? "")
        let again = try await service.post("/v1/bots", BotScheduleTests.wish(text))
        #expect(again.status == 200)
        // Nobody answers there, which is seen only by a bot that has come.
        let expected = text == later ? "ready" : "rejoining"
        let id = try #require(ids.last)
        try await eventually("the bot is \(expected)") { try await state(id, service) == expected }
      }
      // The same place: the second has taken the first's.
      let bots = try await service.send(.GET, "/v1/bots").items
      #expect(bots.count == 1)
      let end = bots.first?["to"]?.string.map { String($0.prefix(16)) }
      let expected = String((now + .seconds(3_600)).description.prefix(16))
      #expect(end == expected)
    }
    let folder = try TakeFolder(existing: BotFile.folder, in: data.path)
    let kept = try BotFile.read(BotFile.name, in: folder)?.wishes().first?.schedule?.text
    #expect(kept == present)
  }

  @Test func aBotLeavesForGoodAfterItsLastEvent() async throws {
    let now = MonotonicClock.wall
    let text = BotScheduleTests.text(from: now - .seconds(60), to: now + .seconds(3))
    try await TestService.with({ $0.webhooks.allowsPrivate = true }) { service in
      let made = try await service.post("/v1/bots", BotScheduleTests.wish(text))
      // On a machine that is so slow the event may be over already.
      guard made.status == 201 else { return }
      let id = try made.json["id"]?.string ?? ""
      try await eventually("the bot is gone") { try await service.send(.GET, "/v1/bots/\(id)").status == 404 }
    }
  }

  @Test func calendarsThatCannotBeUsedAreRefused() async throws {
    try await TestService.with({ $0.webhooks.allowsPrivate = true }) { service in
      let now = MonotonicClock.wall
      let past = BotScheduleTests.text(from: now - .seconds(7_200), to: now - .seconds(3_600))
      let monthly = BotScheduleTests.text(from: now, to: now + .seconds(60), ["RRULE:FREQ=MONTHLY"])
      let long = String(repeating: "X:Y ", count: 20_000)
      let refusals = [
        ("", "no iCalendar"), (past, "are over"), (monthly, "line 5: FREQ=MONTHLY"), (long, "64 KiB"),
      ]
      for (text, words) in refusals {
        let refused = try await service.post("/v1/bots", BotScheduleTests.wish(text))
        #expect(refused.status == 400)
        let detail = try refused.json["detail"]?.string ?? ""
        #expect(detail.contains(words), "\(detail)")
        #expect(try refused.json["field"]?.string == "calendar")
      }
      let present = BotScheduleTests.text(from: now, to: now + .seconds(3_600))
      let both: JSONValue = [
        "url": "jamjar+http://127.0.0.1:1/there", "calendar": .string(present), "to": "2099-01-01T00:00:00Z",
      ]
      #expect(try await service.post("/v1/bots", both).status == 400)
    }
  }

  @Test func zonesAreNamesAndNoPaths() {
    let now = WallTime(milliseconds: 1_780_000_000_000)
    #expect(CalendarZones.system.offset("Europe/Berlin", now) == 7_200)
    #expect(CalendarZones.system.offset(nil, now) != nil)
    for name in ["", "/etc/passwd", "../../../etc/passwd", "Mars/Olympus", "Europe/Berlin\0"] {
      #expect(CalendarZones.system.offset(name, now) == nil, "\(name)")
    }
  }
}
