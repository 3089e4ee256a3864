import Testing

@testable import Recording

@Suite struct PlacementTests {
  private func clock(delay: Double, seconds: Int = 5) -> SenderClock {
    var clock = SenderClock()
    for packet in 0..<(seconds * 50) {
      let end = Double(packet + 1) * 0.02
      clock.observe(packet: Int64(packet), endingAt: end, arrival: end + delay, isInOrder: true)
    }
    return clock
  }

  @Test func theFirstSampleLiesWhereItWasCapturedLessTheLookahead() {
    let clock = clock(delay: 0.25)
    let start = Placement.start(of: 0, clock)
    #expect(start == 12_000)
    #expect(abs(Placement(start: start, clock: clock).position - 312) < 1e-6)
  }

  @Test func anotherEstimateBendsTheLineAndNeverBreaksIt() {
    var placement = Placement(start: 0, clock: clock(delay: 0))
    let other = clock(delay: 0.01)
    var last = placement.position
    for _ in 0..<4_000 {
      let piece = placement.advance(960, toward: other)
      // Every piece begins where the one before it ended.
      #expect(piece.position == last)
      #expect(abs(piece.step - 1) <= 200.5e-6)
      last = placement.position
    }
    // Ten milliseconds are made up for within eighty seconds.
    #expect(abs(placement.difference) < 1)
  }

  @Test func robustLinesIgnoreAQuarterOfBadPoints() throws {
    let points = (0..<60).map { index in
      EnvelopePoint(
        media: Double(index), residual: 0.1 - 50e-6 * Double(index) + (index % 5 == 0 ? 0.05 : 0))
    }
    let line = try #require(TheilSen.fit(points))
    #expect(abs(line.slope + 50e-6) < 1e-7)
    #expect(TheilSen.fit([]) == nil)
  }
}
