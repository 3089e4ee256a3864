import Machines
import Testing

@testable import Recording

@Suite struct DelaySpreadTests {
  private func over(_ milliseconds: [Int64]) -> DelaySpread? {
    DelaySpread(milliseconds.map { .milliseconds($0) })
  }

  @Test func nothingIsSaidWithoutAReading() {
    #expect(over([]) == nil)
  }

  @Test func oneReadingIsAllThereIs() throws {
    let one = try #require(over([42]))
    #expect(one.median == .milliseconds(42))
    #expect(one.low == .milliseconds(42))
    #expect(one.high == .milliseconds(42))
    #expect(one.count == 1)
  }

  @Test func anEvenNumberOfReadingsHasItsMedianInTheMiddle() throws {
    #expect(try #require(over([30, 10])).median == .milliseconds(20))
    #expect(try #require(over([40, 10, 30, 20])).median == .milliseconds(25))
  }

  @Test func aTenthLiesBelowAndATenthAbove() throws {
    let spread = try #require(over(Array(0...100).reversed()))
    #expect(spread.median == .milliseconds(50))
    #expect(spread.low == .milliseconds(10))
    #expect(spread.high == .milliseconds(90))
  }

  @Test func oneWildReadingMovesNothing() throws {
    let spread = try #require(over([Int64](repeating: 35, count: 20) + [9_000]))
    #expect(spread.median == .milliseconds(35))
    #expect(spread.high == .milliseconds(35))
  }
}
