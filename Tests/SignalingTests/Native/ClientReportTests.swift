import Machines
import Testing

@testable import Signaling

@Suite struct ClientReportTests {
  private static let answered = MonotonicTime(nanoseconds: 5_000_000_000)
  /// The client's clock was here, 1 ms before the answer arrived and 1 ms after it asked.
  private static let clientTime: Int64 = 1_796_000_000_123_000_000

  private func report(serverTime: MonotonicTime? = answered, roundTrip: Int64? = 2_000_000) -> ClientReport {
    ClientReport(clientTime: Self.clientTime, serverTime: serverTime, roundTrip: roundTrip)
  }

  @Test(arguments: [0, 1_000_000, 7_654_321, 9_000_000_000] as [Int64])
  func aReadingIsThatOfThePingHoweverLateTheReportComes(late: Int64) throws {
    let now = Self.answered + .nanoseconds(late)
    let reading = try #require(report().reading(at: now))
    // Since then the clocks may have diverged by 100 ppm, to either side.
    let divergence = late / 10_000
    #expect(reading.roundTrip == .nanoseconds(2_000_000 + 2 * divergence))
    // Half of that before now, both clocks have gone on alike.
    #expect(reading.clientTime - Self.clientTime == late - 1_000_000 - divergence)
  }

  @Test func withoutAnAnswerOfOursThereIsNone() {
    #expect(report(serverTime: nil).reading(at: Self.answered) == nil)
    #expect(report(roundTrip: nil).reading(at: Self.answered) == nil)
    #expect(report(roundTrip: -1).reading(at: Self.answered) == nil)
    #expect(ClientReport(serverTime: Self.answered, roundTrip: 1).reading(at: Self.answered) == nil)
  }

  @Test func anOldAnswerAndOneFromTheFutureAreNone() {
    #expect(report().reading(at: Self.answered + .seconds(10)) == nil)
    #expect(report().reading(at: Self.answered - .nanoseconds(1)) == nil)
    for extreme in [Int64.min, .max] {
      #expect(report(serverTime: MonotonicTime(nanoseconds: extreme)).reading(at: Self.answered) == nil)
    }
    // A round trip that cannot become longer.
    let endless = report(roundTrip: .max)
    #expect(endless.reading(at: Self.answered) != nil && endless.reading(at: Self.answered + .seconds(1)) == nil)
    let last = ClientReport(clientTime: .max, serverTime: Self.answered, roundTrip: 0)
    #expect(last.reading(at: Self.answered + .nanoseconds(1)) == nil)
  }
}
