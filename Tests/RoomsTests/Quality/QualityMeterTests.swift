import Machines
import Music
import Testing

@testable import Realtime
@testable import Rooms

/// Readings from the counters of a connection.
@Suite struct QualityMeterTests {
  private static let start = MonotonicTime(nanoseconds: 5_000_000_000)

  private func counters(
    received: Int64, lost: Int64 = 0, repaired: Int64 = 0, jitter: MonotonicTime.Span = .zero
  ) -> PeerStatistics {
    var statistics = PeerStatistics()
    statistics.receivedPackets = received
    statistics.lost = lost
    statistics.repaired = repaired
    statistics.jitter = jitter
    statistics.roundTrip = .microseconds(41_237)
    return statistics
  }

  private func advance(
    _ meter: inout QualityMeter, seconds: Int64, _ counters: PeerStatistics, heard: HeardQuality? = nil
  ) -> QualityReading? {
    meter.advance(to: QualityMeterTests.start + .seconds(seconds), counters, hasJitter: true, heard: heard)
  }

  @Test func aReadingComesEveryThreeSecondsAndCountsFromTheOneBefore() throws {
    var meter = QualityMeter(counters(received: 1_000, lost: 7), at: QualityMeterTests.start)
    #expect(advance(&meter, seconds: 1, counters(received: 1_050, lost: 7, jitter: .milliseconds(9))) == nil)
    #expect(advance(&meter, seconds: 2, counters(received: 1_100, lost: 7)) == nil)
    let first = try #require(advance(&meter, seconds: 3, counters(received: 1_144, lost: 10, repaired: 3)))
    #expect(first.duration == 3)
    #expect(first.expected == 147)
    #expect(first.missed == 6)
    #expect(first.lost == 3)
    // 3 of 147 packets in 3 s.
    #expect(first.concealed == 2_939)
    #expect(first.jitter == 9, "the greatest of three looks")
    #expect(first.roundTrip == 41.24)
    _ = advance(&meter, seconds: 4, counters(received: 1_194, lost: 10, repaired: 3))
    let second = try #require(advance(&meter, seconds: 6, counters(received: 1_297, lost: 7, repaired: 6)))
    // Three holes of the first reading were filled: they were missed then, and no other was.
    #expect(second.expected == 150)
    #expect(second.missed == 0)
    #expect(second.lost == 0)
    #expect(second.concealed == 0)
    #expect(second.jitter == 0)
  }

  @Test func whereNothingArrivesNothingWasHeard() throws {
    var meter = QualityMeter(counters(received: 1_000), at: QualityMeterTests.start)
    let reading = try #require(advance(&meter, seconds: 3, counters(received: 1_000)))
    #expect(reading.expected == 0)
    #expect(reading.concealed == 144_000)
    #expect(reading.jitter == nil)
    #expect(QualityVerdict(reading).cause == .absence)
    // Nor do counters that begin anew make negative numbers.
    let again = try #require(advance(&meter, seconds: 6, PeerStatistics()))
    #expect(again.expected == 0 && again.missed == 0 && again.lost == 0)
  }

  @Test func theLevelIsTheMeanPowerOfThePackets() throws {
    var meter = QualityMeter(counters(received: 0), at: QualityMeterTests.start)
    for _ in 0..<50 { meter.note(level: 20) }
    for _ in 0..<50 { meter.note(level: 127) }
    let reading = try #require(advance(&meter, seconds: 3, counters(received: 100)))
    #expect(reading.dbfs == -23)
    for _ in 0..<50 { meter.note(level: 255) }
    #expect(advance(&meter, seconds: 6, counters(received: 200))?.dbfs == -127)
    #expect(advance(&meter, seconds: 9, counters(received: 300))?.dbfs == nil)
  }

  @Test func theRestOfATakeIsReadWithoutEndingAReading() throws {
    var meter = QualityMeter(counters(received: 0), at: QualityMeterTests.start)
    let soon = QualityMeterTests.start + .milliseconds(400)
    let take = TakeID(at: WallTime(milliseconds: 0))
    #expect(meter.rest(of: take, counters(received: 20), hasJitter: true, heard: nil, at: soon) == nil)
    let later = QualityMeterTests.start + .milliseconds(1_500)
    let found = meter.rest(of: take, counters(received: 75), hasJitter: true, heard: nil, at: later)
    let rest = try #require(found)
    #expect(rest.duration == 1.5)
    #expect(rest.expected == 75)
    let heard = HeardQuality(received: 90, lost: 10)
    let whole = try #require(advance(&meter, seconds: 3, counters(received: 150), heard: heard))
    #expect(whole.expected == 150)
    #expect(whole.heard == heard)
  }

  @Test func whatWasBeforeATakeIsNotItsOwn() throws {
    var meter = QualityMeter(counters(received: 0), at: QualityMeterTests.start)
    let take = TakeID(at: WallTime(milliseconds: 1))
    let late = TakeID(at: WallTime(milliseconds: 2))
    let other = TakeID(at: WallTime(milliseconds: 3))
    for _ in 0..<100 { meter.note(level: 10) }
    // Two bad seconds, and then a take begins.
    let beginning = QualityMeterTests.start + .seconds(2)
    meter.begin(take, counters(received: 70, lost: 20, repaired: 10), at: beginning)
    for _ in 0..<50 { meter.note(level: 40) }
    meter.begin(late, counters(received: 115, lost: 20, repaired: 10), at: beginning + .milliseconds(900))
    // It could end at any time.
    let soon = beginning + .milliseconds(600)
    let found = meter.rest(
      of: take, counters(received: 100, lost: 20, repaired: 10), hasJitter: true, heard: nil, at: soon)
    #expect(found?.expected == 30 && found?.missed == 0 && found?.duration == 0.6)
    let whole = try #require(
      advance(&meter, seconds: 3, counters(received: 119, lost: 21, repaired: 10)))
    #expect(whole.expected == 140 && whole.missed == 31)
    let part = try #require(meter.part(of: whole, in: take))
    #expect(part.duration == 1)
    #expect(part.expected == 50 && part.missed == 1 && part.lost == 1)
    #expect(part.dbfs == -40)
    // A tenth of a second says nothing; a take that was there before has the whole.
    #expect(meter.part(of: whole, in: late) == nil)
    #expect(meter.part(of: whole, in: other) == whole)
    // The next reading is everybody's.
    let next = try #require(advance(&meter, seconds: 6, counters(received: 269, lost: 21, repaired: 10)))
    #expect(next.expected == 150 && meter.part(of: next, in: take) == next)
  }

  @Test func aTakeThatBeginsWithTheMusicHasTheWholeReading() throws {
    var meter = QualityMeter(counters(received: 0), at: QualityMeterTests.start)
    let take = TakeID(at: WallTime(milliseconds: 1))
    meter.begin(take, counters(received: 1), at: QualityMeterTests.start + .milliseconds(20))
    let whole = try #require(advance(&meter, seconds: 3, counters(received: 150)))
    #expect(meter.part(of: whole, in: take) == whole)
  }
}
