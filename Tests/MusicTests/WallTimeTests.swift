import Testing

@testable import Music

@Suite struct WallTimeTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00.000Z", 0), ("2026-11-21T02:56:09.123Z", 1_795_229_769_123),
      ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("1969-12-31T23:59:59.999Z", -1),
    ] as [(String, Int64)])
  func writesAndReadsRFC3339(text: String, milliseconds: Int64) throws {
    #expect(WallTime(milliseconds: milliseconds).description == text)
    #expect(try #require(WallTime(text)).milliseconds == milliseconds)
  }

  @Test func readsOffsetsAndFractions() throws {
    let time = try #require(WallTime("2026-11-21T04:56:09.5+02:00"))
    #expect(time.description == "2026-11-21T02:56:09.500Z")
  }

  @Test func theSpanBetweenAnyTwoTimesCanBeTold() throws {
    let (first, last) = (WallTime(nanoseconds: .min), WallTime(nanoseconds: .max))
    #expect(try #require(WallTime("0001-01-01T00:00:00Z")) == first)
    #expect(try #require(WallTime("9999-12-31T23:59:59Z")) == last)
    let noon = try #require(WallTime("2026-11-21T12:00:00Z"))
    #expect(noon - (try #require(WallTime("2026-11-21T11:59:59.250Z"))) == .milliseconds(750))
    #expect(first - last == .zero - (last - first))
    #expect((last - first) / .seconds(1) > 1.8e10)
    #expect((noon - first) / .seconds(1) > 1.1e10)
  }

  @Test func aSpanLeadsToTheLastTimeAtMost() throws {
    let (first, last) = (WallTime(nanoseconds: .min), WallTime(nanoseconds: .max))
    let noon = try #require(WallTime("2026-11-21T12:00:00Z"))
    #expect((noon + .milliseconds(1_500)).description == "2026-11-21T12:00:01.500Z")
    #expect((noon - .milliseconds(1_500)).description == "2026-11-21T11:59:58.500Z")
    #expect(WallTime(nanoseconds: -1) + .nanoseconds(2) == WallTime(nanoseconds: 1))
    #expect(first + (last - first) == last && last - (last - first) == first)
    let longest = Duration.seconds(Int64.max)
    for time in [first, WallTime(nanoseconds: -1), noon, last] {
      #expect(time + longest == last && time - longest == first)
      #expect(time + (.zero - longest) == first && time - (.zero - longest) == last)
      #expect(time + .zero == time)
    }
    #expect(last + .nanoseconds(1) == last && first - .nanoseconds(1) == first)
  }

  @Test(arguments: [Int64.min, -86_400_000_000_001, -1, 0, 1, 86_399_999_999_999, .max])
  func everyTimeHasAPlaceInItsDay(nanoseconds: Int64) {
    let time = WallTime(nanoseconds: nanoseconds)
    #expect((0..<86_400_000_000_000).contains(time.nanosecondsOfDay))
    #expect(time.description.utf8.count == 24)
    #expect(WallTime(nanoseconds: Int64(bitPattern: time.bitPattern)) == time)
    #expect(time.seconds == Int64((Double(time.milliseconds) / 1_000).rounded(.down)))
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T02:56:09",
    "2026-11-21T02:56:09.Z", "2026-11-21T02:56:09Zx", "99999-11-21T02:56:09Z", "2026-11-21T02:56:09+2:00",
  ])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(WallTime(text) == nil)
  }
}
