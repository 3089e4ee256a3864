import Foundation
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

  /// A sound card that warms up and cools down within eight hours, by 20 ppm.
  @Test func whereAStreamWasPlacedHoursAgoIsKnownToASample() {
    var trace = PlacementTrace()
    var piece = Placement.Piece(start: 96_000, position: 1_234.5, step: 1)
    var samples: [Placement.Piece] = []
    let blocks = 8 * 3_600 * 10
    for block in 0..<blocks {
      piece.step = 1 + 20e-6 * sin(2 * Double.pi * Double(block) / Double(blocks))
      trace.note(piece)
      if block % 997 == 0 { samples.append(piece) }
      piece.start += 4_800
      piece.position += piece.step * 4_800
    }
    let errors = samples.map { abs(trace.timeline(of: $0.position, upTo: piece) - $0.start) }
    #expect(errors.allSatisfy { $0 <= 1 })
    // Nothing else would tell: the last piece is off by tens of milliseconds.
    let guesses = samples.map { abs(piece.timeline(of: $0.position) - $0.start) }
    #expect((guesses.max() ?? 0) > 480)
    #expect(trace.timeline(of: piece.position + 100, upTo: piece) == piece.start + 100)
    #expect(trace.timeline(of: 234.5, upTo: piece) == 95_000)
  }

  @Test func robustLinesIgnoreAQuarterOfBadPoints() throws {
    let points = (0..<60).map { index in
      let late: Double = index % 5 == 0 ? 0.05 : 0
      return EnvelopePoint(media: Double(index), residual: 0.1 - 50e-6 * Double(index) + late)
    }
    let line = try #require(TheilSen.fit(points))
    #expect(abs(line.slope + 50e-6) < 1e-7)
    #expect(TheilSen.fit([]) == nil)
  }
}
