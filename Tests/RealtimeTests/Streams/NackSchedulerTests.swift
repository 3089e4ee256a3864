import Machines
import Testing

@testable import Realtime

@Suite struct NackSchedulerTests {
  private func scheduler(missing: Range<Int64>, at milliseconds: Int64 = 0) -> NackScheduler {
    var scheduler = NackScheduler()
    scheduler.received(missing.lowerBound - 1, at: .at(milliseconds))
    scheduler.received(missing.upperBound, at: .at(milliseconds))
    return scheduler
  }

  @Test func asksOnlyAfterTheGraceForReordering() {
    var nacks = scheduler(missing: 5..<7)
    #expect(nacks.deadline == .at(10))
    #expect(nacks.due(at: .at(9)).isEmpty)
    #expect(nacks.due(at: .at(10)) == [5, 6])
  }

  @Test func doesNotAskForAPacketThatWasOnlyLate() {
    var nacks = scheduler(missing: 5..<6)
    #expect(nacks.received(5, at: .at(4)) == false)
    #expect(nacks.deadline == nil)
    #expect(nacks.due(at: .at(50)).isEmpty)
    #expect(nacks.counts == .init(reordered: 1))
  }

  @Test func asksAgainEveryFortyMillisecondsOrRoundTrip() {
    var nacks = scheduler(missing: 5..<6)
    #expect(nacks.due(at: .at(10)) == [5])
    #expect(nacks.deadline == .at(50))
    #expect(nacks.due(at: .at(49)).isEmpty)
    #expect(nacks.due(at: .at(50)) == [5])
    nacks.roundTrip = .milliseconds(120)
    #expect(nacks.due(at: .at(90)) == [5])
    #expect(nacks.deadline == .at(210))
    #expect(nacks.counts.requested == 1)
    #expect(nacks.counts.requests == 3)
  }

  @Test func knowsARepairFromAnyOtherPacket() {
    var nacks = scheduler(missing: 5..<7)
    _ = nacks.due(at: .at(10))
    #expect(nacks.received(6, at: .at(20)) == true)
    #expect(nacks.received(6, at: .at(21)) == false)
    #expect(nacks.received(8, at: .at(22)) == false)
    #expect(nacks.counts.recovered == 1)
    #expect(nacks.due(at: .at(50)) == [5])
  }

  @Test func givesUpWhenNoSenderKeepsThePacketAnyLonger() {
    var nacks = scheduler(missing: 5..<6)
    var requests = 0
    var now = nacks.deadline
    while let time = now {
      requests += nacks.due(at: time).count
      now = nacks.deadline
      #expect(time <= .at(3_000))
    }
    #expect(requests == 75)
    #expect(nacks.counts == .init(requested: 1, requests: 75, givenUp: 1))
  }

  @Test func holdsNoMoreThan512Holes() {
    var nacks = scheduler(missing: 1..<2_900)
    #expect(nacks.openHoles == 512)
    #expect(nacks.counts.givenUp == 2_899 - 512)
    // The newest ones: those that the sender may still keep.
    #expect(nacks.due(at: .at(10)) == (2_388..<2_900).map { UInt16($0) })
    #expect(nacks.deadline == .at(50))
    nacks.received(3_000, at: .at(20))
    #expect(nacks.openHoles == 512)
  }

  @Test(arguments: [Int64(3_002), 20_000, 1_000_000]) func startsNoStormAfterAJumpForward(jump: Int64) {
    var nacks = scheduler(missing: 5..<6)
    nacks.received(6 + jump, at: .at(5))
    #expect(nacks.deadline == nil)
    #expect(nacks.counts.givenUp == 1)
    nacks.received(6 + jump + 2, at: .at(6))
    #expect(nacks.due(at: .at(16)) == [UInt16(truncatingIfNeeded: 6 + jump + 1)])
  }

  @Test func startsNoStormAfterAJumpBackward() {
    var nacks = NackScheduler()
    nacks.received(10_000, at: .at(0))
    nacks.received(10_000 - 513, at: .at(1))
    nacks.received(10_000 - 512, at: .at(2))
    #expect(nacks.deadline == nil)
  }

  @Test func boundsTheRateOfRequests() {
    // Every packet ahead of a hole, for ten seconds, and nothing is ever repaired.
    var nacks = NackScheduler(.init(requestsPerSecond: 100))
    var requests = 0
    var number: Int64 = 0
    for millisecond in stride(from: Int64(0), to: 10_000, by: 5) {
      number += 2
      nacks.received(number, at: .at(millisecond))
      requests += nacks.due(at: .at(millisecond)).count
      #expect(nacks.openHoles <= 512)
    }
    #expect(requests > 1_000 && requests <= 512 + 1_000)
  }

  @Test func wakesUpLaterThanNowWhenTheRateIsUsedUp() throws {
    var nacks = NackScheduler(.init(holeLimit: 512, requestsPerSecond: 1))
    nacks.received(0, at: .at(0))
    nacks.received(500, at: .at(0))
    for time in stride(from: Int64(10), through: 2_000, by: 50) {
      _ = nacks.due(at: .at(time))
      #expect(try #require(nacks.deadline) > .at(time))
    }
  }

  @Test func asksOverTheWrapInOrder() {
    var nacks = scheduler(missing: 65_534..<65_538)
    #expect(nacks.due(at: .at(10)) == [65_534, 65_535, 0, 1])
  }

  @Test func bringsItsBoundsIntoRange() {
    let configuration = NackScheduler.Configuration(window: .seconds(60), holeLimit: 100_000, requestsPerSecond: 0)
    #expect(configuration.window == .seconds(4))
    #expect(configuration.holeLimit == 512)
    #expect(configuration.requestsPerSecond == 1)
  }

  @Test func takesTheWildestNumbers() {
    var nacks = NackScheduler()
    for number in [0, Int64.max, .min, -1, .max - 1, .min + 1] { nacks.received(number, at: .at(0)) }
    _ = nacks.due(at: MonotonicTime(nanoseconds: .max))
    #expect(nacks.openHoles <= 512)
  }

  @Test func asksUnseenForTheLastPacketsOfASenderThatLeaves() {
    var nacks = scheduler(missing: 5..<6)
    #expect(nacks.due(at: .at(10)) == [5])
    nacks.received(5, at: .at(20))
    #expect(!nacks.isHoping)
    nacks.probe(at: .at(30))
    #expect(nacks.isHoping)
    #expect(nacks.deadline == .at(30))
    #expect(nacks.due(at: .at(30)) == Array(7...22))
    #expect(nacks.deadline == .at(70))
    #expect(nacks.due(at: .at(69)).isEmpty)
    nacks.received(8, at: .at(70))
    #expect(nacks.due(at: .at(70)) == Array(9...24), "from the newest on")
    #expect(nacks.due(at: .at(80)) == [7], "what it shows to be missing is a hole like others")
    nacks.received(7, at: .at(90))
    var requests = 0
    var now: Int64 = 110
    while let deadline = nacks.deadline, now < 5_000 {
      #expect(deadline == .at(now))
      if !nacks.due(at: .at(now)).isEmpty { requests += 1 }
      now += 40
    }
    #expect(requests == 9, "ten since the last packet that came")
    #expect(!nacks.isHoping)
  }

  @Test func asksUnseenForNothingWhereNothingWasLost() {
    var nacks = NackScheduler()
    for number in Int64(1)...50 { nacks.received(number, at: .at(number * 20)) }
    nacks.probe(at: .at(1_000))
    #expect(!nacks.isHoping)
    #expect(nacks.deadline == nil)
  }

  @Test func whatComesAfterTheEndOpensNoHoles() {
    var nacks = scheduler(missing: 5..<6)
    #expect(nacks.due(at: .at(10)) == [5])
    nacks.probe(at: .at(10))
    nacks.seal()
    nacks.received(20, at: .at(20))
    #expect(nacks.openHoles == 1)
    #expect(nacks.due(at: .at(50)) == [5])
    #expect(nacks.received(5, at: .at(60)) == true)
    #expect(!nacks.isHoping)
  }
}
