import Glibc
import TestSupport
import Testing

@testable import Recording

@Suite struct CheckedRoundTripTests {
  private static let truth = 0.04

  /// After `count` checks, each of which waited on both ways.
  private func limits(_ count: Int, random: inout SeededRandom, waiting: (Double) -> Double) throws -> ClosedRange<
    Double
  > {
    var checked = CheckedRoundTrip()
    for index in 0..<count {
      checked.add(Self.truth + waiting(random.unit()) + waiting(random.unit()), at: Double(index))
    }
    return try #require(checked.limits)
  }

  @Test(arguments: [1, 2, 3, 10, 60], [false, true])
  func theRoundTripIsNoLongerThanTheQuickestAndHardlyEverShorterThanTheOthersShow(
    count: Int, isExponential: Bool
  ) throws {
    var random = SeededRandom(UInt64(count))
    var wrong = 0
    for _ in 0..<1_000 {
      let limits = try limits(count, random: &random) { isExponential ? -0.01 * log(1 - $0) : 0.01 * $0 }
      #expect(limits.upperBound >= Self.truth && limits.lowerBound >= 0)
      if limits.lowerBound > Self.truth { wrong += 1 }
    }
    // One in a hundred is meant.
    #expect(wrong < 25, "\(wrong)")
  }

  @Test func onAQuietPathItIsKnownToSomeTenthsOfAMillisecond() throws {
    var random = SeededRandom(2)
    for _ in 0..<100 {
      let limits = try limits(20, random: &random) { 0.000_2 * $0 }
      #expect(limits.upperBound - limits.lowerBound < 0.000_8, "\(limits)")
    }
  }

  @Test func oneCheckIsALimitAndNoMore() throws {
    var random = SeededRandom(3)
    #expect(CheckedRoundTrip().limits == nil)
    #expect(try limits(1, random: &random) { _ in 0 } == 0...Self.truth)
  }

  @Test func aLongerPathIsFollowedWithinHalfAMinute() throws {
    var checked = CheckedRoundTrip()
    for index in 0..<60 { checked.add(0.04 + 0.000_01 * Double(index % 7), at: Double(index)) }
    for index in 60..<92 { checked.add(0.1 + 0.000_01 * Double(index % 7), at: Double(index)) }
    let limits = try #require(checked.limits)
    #expect(limits.upperBound >= 0.1)
    for index in 92..<110 { checked.add(0.1 + 0.000_01 * Double(index % 7), at: Double(index)) }
    #expect(try #require(checked.limits).lowerBound > 0.099)
  }

  @Test func aQuickerPathIsFollowedAtOnce() throws {
    var checked = CheckedRoundTrip()
    for index in 0..<60 { checked.add(0.1, at: Double(index)) }
    checked.add(0.04, at: 60)
    #expect(try #require(checked.limits) == 0...0.04)
  }

  @Test func itIsCurrentForAMinute() {
    var checked = CheckedRoundTrip()
    #expect(!checked.isCurrent(at: 0))
    checked.add(0.04, at: 100)
    checked.add(0.04, at: 90)
    #expect(checked.isCurrent(at: 159) && !checked.isCurrent(at: 161))
  }
}
