import TestSupport
import Testing

@testable import Music

@Suite struct IdentifierTests {
  @Test func aULIDReadsBackAsItWasWritten() {
    var generator = SeededRandom(1)
    for milliseconds in [0, 1, 1_700_000_000_000, 0xFFFF_FFFF_FFFF] as [Int64] {
      let ulid = ULID(at: WallTime(milliseconds: milliseconds), using: &generator)
      #expect(ulid.description.count == 26)
      #expect(ULID(ulid.description) == ulid)
      #expect(ULID(ulid.description.lowercased()) == ulid)
    }
  }

  @Test func theSpecificationsExampleHasItsTime() throws {
    // github.com/ulid/spec: 01ARYZ6S41 is 1469918176385 ms.
    let ulid = try #require(ULID("01ARYZ6S41TSV4RRFFQ69G5FAV"))
    #expect(ulid.high >> 16 == 1_469_918_176_385)
  }

  @Test func identifiersSortByTime() {
    let earlier = TakeID(at: WallTime(milliseconds: 1_000))
    let later = TakeID(at: WallTime(milliseconds: 1_001))
    #expect(earlier < later)
    #expect(earlier.description < later.description)
  }

  @Test(arguments: [
    "", "01ARYZ6S41TSV4RRFFQ69G5FA", "01ARYZ6S41TSV4RRFFQ69G5FAVV", "81ARYZ6S41TSV4RRFFQ69G5FAV",
    "01ARYZ6S41TSV4RRFFQ69G5FAU", "../../../etc/passwd-------",
  ])
  func whatIsNoULIDIsRefused(text: String) {
    #expect(ULID(text) == nil)
  }
}
