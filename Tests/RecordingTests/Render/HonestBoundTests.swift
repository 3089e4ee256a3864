import Music
import Testing

@testable import Recording

/// The true error lies within the stated bound, whatever the musician's machine and path do.
@Suite struct HonestBoundTests {
  /// Reports that run on tell times that are still to come, so that no packet near those times is of the line before.
  @Test(arguments: [0.3, 1.0, 3.5, 6.0]) func aStandstillThroughWhichReportsRunOnIsOneGap(length: Double) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      var musician = FaultyMusician()
      (musician.length, musician.seed, musician.reportsRunOn) = (24, seed, true)
      musician.drops = (every: 10, length: length)
      let outcomes = [try musician.record(), try musician.refine()]
      for outcome in outcomes {
        let packets = Int((24 - 0.3 - 2 * length) * 50)
        #expect(abs(outcome.errors.count - packets) <= 3, "\(outcome.errors.count) of \(packets)")
        #expect(outcome.greatestError() < 5)
        let gaps = outcome.gaps.filter { $0.cause == .captureStall }
        #expect(gaps.count == 2, "\(outcome.gaps)")
        let areAsLong = gaps.allSatisfy { abs($0.length.seconds - length) < 0.005 }
        #expect(areAsLong, "\(outcome.gaps)")
      }
    }
  }

  private static let both = [
    RenderOptions(makesMix: false), RenderOptions(makesMix: false).withHindsight,
  ]

  /// Renders as the take rolls and with hindsight; every packet must lie within the bound of its stretch.
  @discardableResult
  private func expectHonest(
    _ musician: FaultyMusician, location: SourceLocation = #_sourceLocation
  ) throws -> [FaultyMusician.Outcome] {
    try HonestBoundTests.both.map { options in
      let outcome = try musician.record(options)
      let worst = try #require(outcome.worst, sourceLocation: location)
      #expect(outcome.errors.count > 1_000, sourceLocation: location)
      #expect(
        abs(worst.error) <= worst.bound,
        "\(worst) greatest \(outcome.greatestError()) stated \(String(describing: outcome.report?.errorBound))",
        sourceLocation: location)
      return outcome
    }
  }

  @Test(arguments: [0.0, 80, -150]) func anHonestMusicianLiesWithinASmallBound(drift: Double) throws {
    for outcome in try expectHonest(FaultyMusician(drift: drift)) {
      let bound = try #require(outcome.report?.errorBound)
      // Half of the round trip is 30 ms; the rest is what the first seconds do not know.
      #expect(bound < 50, "\(bound)")
      #expect(outcome.greatestError(from: 20) < 2, "\(outcome.greatestError(from: 20))")
      #expect(outcome.gaps.isEmpty)
    }
  }

  // MARK: What a sender says

  @Test func reportsThatAreAheadAreOnlyTheSendersWord() throws {
    try expectHonest(FaultyMusician(reportsAhead: 0.12))
  }

  @Test func oneAnswerThatLiesIsContradictedByTheOthers() throws {
    var musician = FaultyMusician()
    (musician.delay, musician.back) = ({ _ in 0.14 }, 0.02)
    musician.lie = { $0 == 30 ? 0.15 : 0 }
    try expectHonest(musician)
  }

  @Test func answersThatAllLieAreUnlikely() throws {
    var musician = FaultyMusician()
    (musician.delay, musician.back) = ({ _ in 0.14 }, 0.02)
    musician.lie = { _ in 0.15 }
    try expectHonest(musician)
  }

  @Test func aSlowWayWithoutReportsIsUnknown() throws {
    var musician = FaultyMusician()
    musician.delay = { _ in 0.15 }
    (musician.reports, musician.answers) = (nil, false)
    for outcome in try expectHonest(musician) { #expect(outcome.report?.errorBound == nil) }
  }

  // MARK: What a microphone leaves out

  @Test(arguments: [(every: 2.5, length: 0.02), (every: 5.0, length: 0.01)])
  func dropsAreInferredFromReportsAndArrivals(every: Double, length: Double) throws {
    for outcome in try expectHonest(FaultyMusician(drops: (every, length))) {
      #expect(outcome.gaps.allSatisfy { $0.cause == .captureStall })
      // Two or so in the first seconds, before the reports are known to be exact.
      #expect(outcome.gaps.count >= Int(80 / every) - 4, "\(outcome.gaps.count)")
      #expect(outcome.greatestError(from: 15) < 12, "\(outcome.greatestError(from: 15))")
    }
  }

  @Test(arguments: [(every: 2.5, length: 0.02), (every: 5.0, length: 0.01), (every: 40.0, length: 0.06)])
  func dropsThatNobodyTellsOfAreInTheBound(every: Double, length: Double) throws {
    var musician = FaultyMusician(drops: (every, length))
    musician.reportsKnowDrops = false
    try expectHonest(musician)
    musician.reports = nil
    try expectHonest(musician)
  }

  /// As Firefox on a busy machine: RTP time stands still with the microphone, and reports are seconds apart.
  @Test(arguments: [0.3, 0.8, 1.5, 2.5, 3.5, 4.5, 6])
  func aStandstillAtTheEndIsInTheBound(before end: Double) throws {
    var musician = FaultyMusician(length: 40.15 + end, drops: (every: 40, length: 0.15))
    for reports in [7.0, 1, nil] {
      for knowDrops in [true, false] {
        (musician.reports, musician.reportsKnowDrops) = (reports, knowDrops)
        try expectHonest(musician)
      }
    }
  }

  @Test(arguments: [5.0, 7.5]) func aStandstillBetweenReportsFarApartIsFollowed(interval: Double) throws {
    let musician = FaultyMusician(
      length: 102, drops: (every: 27, length: 0.15), reports: interval, reportScatter: 0.012)
    let outcomes = try expectHonest(musician)
    // As the take rolls, what came before the report is written already; with hindsight it is in its place.
    let refined = try #require(outcomes.last)
    #expect(refined.greatestError(from: 20) < 5, "\(refined.greatestError(from: 20))")
    let first = try #require(outcomes.first)
    let wrong = first.errors.filter { $0.time > 20 && abs($0.error) > 5 }.count
    #expect(wrong < first.errors.count / 4, "\(wrong) of \(first.errors.count)")
  }

  /// More than one between two reports: each is where packets show it. The first lies in front of all that reports tell.
  @Test func severalStandstillsBetweenReportsAreEachInTheirPlace() throws {
    let musician = FaultyMusician(length: 84, drops: (every: 4, length: 0.06), reports: 7, reportScatter: 0.012)
    let refined = try musician.record(RenderOptions(makesMix: false).withHindsight)
    let errors = refined.errors.filter { (45..<75).contains($0.time) }
    #expect(errors.count > 1_000)
    let worst = try #require(
      errors.max { abs($0.error) - refined.bound(at: $0.time) < abs($1.error) - refined.bound(at: $1.time) })
    #expect(abs(worst.error) <= refined.bound(at: worst.time), "\(worst)")
    // What is left is that first one, which the placement makes good slowly, and not one of the others.
    let (least, greatest) = (errors.map(\.error).min() ?? 0, errors.map(\.error).max() ?? 0)
    #expect(greatest - least < 12, "\(least) to \(greatest)")
  }

  // MARK: Paths

  @Test func aPathThatWandersIsInTheBound() throws {
    var musician = FaultyMusician(length: 400)
    musician.delay = { time in 0.02 + 0.06 * (1 - abs(1 - time / 200)) }
    musician.back = 0.02
    try expectHonest(musician)
    let refined = try musician.refine()
    #expect(refined.lines == 1)
    #expect(refined.greatestError() <= 2, "\(refined.greatestError())")
    let worst = try #require(refined.worst)
    #expect(abs(worst.error) <= worst.bound, "\(worst)")
  }

  /// What the second look finds in a take that is right is nothing.
  @Test(arguments: [0.0, 80]) func aSteadyPathNeedsNoLine(drift: Double) throws {
    let refined = try FaultyMusician(length: 150, drift: drift, jitter: 0.01).refine()
    #expect(refined.lines == 0 && refined.greatestError(from: 30) < 2, "\(refined.greatestError(from: 30))")
  }

  @Test func reportsThatScatterClaimNoFalseDrift() throws {
    var musician = FaultyMusician(reportScatter: 0.01)
    musician.jitter = 0.012
    for outcome in try expectHonest(musician) {
      let drift = try #require(outcome.report?.drift)
      #expect(abs(drift) < 60, "\(drift)")
    }
  }
}
