import TestSupport
import Testing

@testable import Recording

@Suite struct CaptureLatenessTests {
  /// What is certain of capture times that are late by `late` seconds, after reports whose waiting, like that of the
  /// packets, is up to `jitter` seconds.
  private func certain(late: Double, jitter: Double, reports: Int, random: inout SeededRandom) -> Double {
    var lateness = CaptureLateness()
    for _ in 0..<reports {
      let packets = (0..<800).map { _ in random.unit() * jitter }
      lateness.note(excess: late + random.unit() * jitter, besides: packets)
    }
    return lateness.certain
  }

  @Test func onAQuietPathAFewReportsShowNearlyAllOfIt() {
    var random = SeededRandom(1)
    for _ in 0..<100 {
      let certain = certain(late: 0.009, jitter: 0.001, reports: 3, random: &random)
      #expect((0.008...0.0095).contains(certain), "\(certain)")
    }
  }

  /// What is missing of it is that share of the jitter that so many reports cannot be expected to avoid.
  @Test(arguments: [(reports: 1, least: 0), (3, 0.001), (16, 0.005)])
  func jitterHidesLessOfItTheMoreReportsThereAre(reports: Int, least: Double) {
    var random = SeededRandom(2)
    for _ in 0..<100 {
      let certain = certain(late: 0.008, jitter: 0.01, reports: reports, random: &random)
      #expect(certain >= least && certain < 0.0125, "\(certain)")
    }
  }

  @Test(arguments: [1, 3, 16])
  func captureTimesThatAreRightAreHardlyEverTakenForLate(reports: Int) {
    var random = SeededRandom(3)
    let wrong = (0..<1_000).filter { _ in certain(late: 0, jitter: 0.01, reports: reports, random: &random) > 0 }
    // One in twenty is meant.
    #expect(wrong.count < 80, "\(wrong.count)")
  }

  @Test func reportsThatAreQuickerThanPacketsShowNothing() {
    var lateness = CaptureLateness()
    for _ in 0..<20 { lateness.note(excess: -0.03, besides: [0, 0.001, 0.002]) }
    #expect(lateness.certain == 0)
    // The quickest of the last ones counts.
    for _ in 0..<16 { lateness.note(excess: 0.01, besides: [0, 0.001, 0.002]) }
    #expect(lateness.certain == 0.01)
  }

  @Test func withoutPacketsNothingIsKnown() {
    var lateness = CaptureLateness()
    lateness.note(excess: 1, besides: [])
    #expect(lateness.certain == 0)
  }
}
