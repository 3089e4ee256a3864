import TestSupport
import Testing

@testable import Recording

@Suite struct OwnClockTests {
  /// The client's clock at `time` of ours: another zero, and 80 ppm too fast.
  private func client(_ time: Double) -> Double { 1e9 + time * (1 + 80e-6) }

  /// Reads over a way of `there` seconds to us and `back` seconds from us.
  private func read(_ clock: inout OwnClock, at time: Double, there: Double, back: Double) {
    // The question leaves, our clock is read, the answer arrives; the middle of it is what the client tells.
    let (asked, answered) = (time - there, time + back)
    let trip = client(answered) - client(asked)
    clock.add(senderTime: client(asked) + trip / 2, arrival: time + trip / 2, roundTrip: trip)
  }

  @Test func aReportsWayIsKnownToHalfOfAReadingsRoundTrip() throws {
    var clock = OwnClock()
    read(&clock, at: 10, there: 0.001, back: 0.001)
    clock.note(report: client(10.5), arrival: 10.52)
    let longest = try #require(clock.longestWay)
    #expect(longest >= 0.02 && longest < 0.0225, "\(longest)")
  }

  @Test func itIsNeverLessThanTheWayHoweverUnevenAReadingsIs() throws {
    var random = SeededRandom(5)
    for _ in 0..<500 {
      var clock = OwnClock()
      let way = 0.001 + 0.05 * random.unit()
      for index in 0..<40 {
        let time = Double(index) * 5 + random.unit()
        read(&clock, at: time, there: 0.03 * random.unit(), back: 0.03 * random.unit())
        clock.note(report: client(time + 2), arrival: time + 2 + way + 0.02 * random.unit())
      }
      #expect(try #require(clock.longestWay) > way)
    }
  }

  @Test func theNearestOfEquallyQuickReadingsCounts() throws {
    var clock = OwnClock()
    // An hour later the clocks are 0.3 s further apart; the reading of then alone would say so by its age.
    for time in [10.0, 3_600] { read(&clock, at: time, there: 0.001, back: 0.001) }
    clock.note(report: client(3_601), arrival: 3_601.001)
    #expect(try #require(clock.longestWay) < 0.0035)
  }

  @Test func theQuickestReportOfTheLastHalfMinuteCounts() throws {
    var clock = OwnClock()
    read(&clock, at: 30, there: 0.001, back: 0.001)
    for (time, way) in [(0.0, 0.005), (20, 0.09), (25, 0.03), (30, 0.06)] {
      clock.note(report: client(time), arrival: time + way)
    }
    #expect(try #require(clock.longestWay) < 0.013)
    clock.note(report: client(40), arrival: 40.08)
    let longest = try #require(clock.longestWay)
    #expect(longest > 0.03 && longest < 0.034, "\(longest)")
  }

  @Test func withoutReadingsOrReportsNothingIsKnown() {
    var clock = OwnClock()
    #expect(clock.longestWay == nil)
    clock.note(report: client(1), arrival: 1.01)
    #expect(clock.longestWay == nil)
    var other = OwnClock()
    read(&other, at: 1, there: 0.001, back: 0.001)
    #expect(other.longestWay == nil)
    // Nobody's round trip.
    clock.add(senderTime: client(1), arrival: 1, roundTrip: -1)
    clock.add(senderTime: client(1), arrival: 1, roundTrip: 11)
    #expect(clock.longestWay == nil)
  }

  @Test func aReportThatLeftAfterItsArrivalIsOfAnotherClock() {
    var clock = OwnClock()
    read(&clock, at: 1, there: 0.001, back: 0.001)
    clock.note(report: client(1.2), arrival: 1.1)
    #expect(clock.longestWay == nil)
  }
}
