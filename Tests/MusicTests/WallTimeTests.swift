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

  @Test(arguments: [
    "", "2026-11-21", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T02:56:09",
    "2026-11-21T02:56:09.Z", "2026-11-21T02:56:09Zx", "99999-11-21T02:56:09Z", "2026-11-21T02:56:09+2:00",
  ])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(WallTime(text) == nil)
  }
}
