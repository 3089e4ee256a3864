import Foundation
import Testing

@testable import Music

@Suite struct SamplePositionTests {
  @Test func theNearestSampleToATimeIsMeant() {
    #expect(SamplePosition(seconds: 1.5) == SamplePosition(72_000))
    #expect(SamplePosition(seconds: -1 / 96_001.0) == .zero)
    #expect(SamplePosition(seconds: 4.05)?.duration == .milliseconds(4_050))
    #expect(SamplePosition(-1).duration == .nanoseconds(-20_833))
  }

  @Test(arguments: [.nan, .infinity, -.infinity, 1e300, -1e300, 1e10, 9.3e18] as [Double])
  func aTimeThatNoTakeHasIsNone(seconds: Double) {
    #expect(SamplePosition(seconds: seconds) == nil)
  }

  private static let beyond: Int64 = (1 << 48) + 1

  @Test(arguments: [.min, -beyond, beyond, .max] as [Int64])
  func aPlaceThatNoTakeHasIsNotReadFromAFile(samples: Int64) {
    let problem = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([SamplePosition].self, from: Data("[\(samples)]".utf8))
    }
    #expect("\(String(describing: problem))".contains("\(samples) samples lie further than 2^48"))
  }

  @Test func theFurthestPlacesAreReadAndCanBeToldAsSpans() throws {
    let text = "[\(SamplePosition.permitted.lowerBound),0,\(SamplePosition.permitted.upperBound)]"
    let places = try JSONDecoder().decode([SamplePosition].self, from: Data(text.utf8))
    #expect(places[2].duration == .zero - places[0].duration && places[2].duration > .seconds(5_000_000_000))
  }
}
