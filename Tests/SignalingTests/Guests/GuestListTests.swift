import Machines
import Testing

@testable import Signaling

struct GuestListTests {
  private static let ada = GuestKey("ada")

  private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: 0) + .seconds(seconds) }

  @Test func whoIsLostAgainAndAgainIsInvitedEverMoreSeldom() {
    var guests = GuestList()
    _ = guests.add(GuestListTests.ada, name: "Ada")
    var now = time(0)
    var pauses: [Double] = []
    for _ in 0..<5 {
      let isNews = guests.lose(GuestListTests.ada, at: now)
      let isNewsAgain = guests.lose(GuestListTests.ada, at: now)
      #expect(isNews)
      #expect(!isNewsAgain)
      let due = guests.deadline ?? now
      pauses.append((due - now).seconds)
      now = due
      let invited = guests.due(at: now).count
      #expect(invited == 1)
    }
    #expect(pauses == [5, 10, 20, 30, 30])
    now = now + .seconds(90)
    _ = guests.lose(GuestListTests.ada, at: now)
    #expect(guests.deadline == now + .seconds(5))
  }

  @Test func whatIsNotAnsweredIsOverdueOnce() {
    var guests = GuestList()
    _ = guests.add(GuestListTests.ada, name: "Ada")
    guests.asked(GuestListTests.ada, at: time(0))
    #expect(guests.overdue(at: time(14)).isEmpty)
    #expect(guests.overdue(at: time(15)) == [GuestListTests.ada])
    _ = guests.lose(GuestListTests.ada, at: time(15))
    #expect(guests.overdue(at: time(60)).isEmpty)
    guests.asked(GuestListTests.ada, at: time(60))
    guests.answered(GuestListTests.ada)
    #expect(guests.overdue(at: time(600)).isEmpty)
  }

  @Test func whatAServerSaysOfSomebodyIsBounded() {
    var guests = GuestList()
    let isNameless = guests.add(GuestKey(""), name: "Ada")
    let isEndless = guests.add(GuestKey(String(repeating: "a", count: 257)), name: "Ada")
    let isLongNamed = guests.add(GuestListTests.ada, name: String(repeating: "a", count: 100_000))
    #expect(!isNameless)
    #expect(!isEndless)
    #expect(isLongNamed)
    #expect(guests[GuestListTests.ada]?.name.count == GuestList.longestName)
    for number in 0..<1_000 { _ = guests.add(GuestKey("\(number)"), name: "x") }
    let isOneMore = guests.add(GuestKey("one more"), name: "x")
    #expect(!isOneMore)
  }

  @Test func aServerMaySayMuchAndNotEverything() {
    let now = time(1)
    var texts = TextIntake()
    let admitted = (0..<10_000).count { _ in texts.admit(100, at: now) }
    #expect(admitted == TextIntake.burst)
    var bytes = TextIntake()
    let large = (0..<100).count { _ in bytes.admit(1 << 20, at: now) }
    #expect(large == TextIntake.kibibytesAtOnce / 1_024)
    // A lively room, for a day.
    var room = TextIntake()
    var refused = 0
    for tenth in 0..<864_000 where !room.admit(2_000, at: now + .milliseconds(Int64(tenth) * 100)) { refused += 1 }
    #expect(refused == 0)
  }

  @Test func whatAFaultSaysIsOneLine() {
    let fault = GuestFault(.refused, "no\n2026-11-23 error: forged\u{1B}[2J")
    #expect(fault.description == "no 2026-11-23 error: forged [2J")
  }
}
