import Foundation
import Testing

@testable import Music

/// The levels of a connection, and where a take suffered.
@Suite struct QualityTests {
  private func reading(
    roundTrip: Double? = nil, jitter: Double? = nil, missed: Int = 0, concealed: Int = 0, heard: HeardQuality? = nil
  ) -> QualityReading {
    QualityReading(
      roundTrip: roundTrip, jitter: jitter, expected: 1_000, missed: missed, concealed: concealed, heard: heard)
  }

  @Test(arguments: [
    (0.0, 1), (59.9, 1), (60, 2), (119.9, 2), (120, 3), (199.9, 3), (200, 4), (399.9, 4), (400, 5), (9_000, 5),
  ]) func aRoundTripHasALevel(milliseconds: Double, level: Int) {
    let verdict = QualityVerdict(reading(roundTrip: milliseconds))
    #expect(verdict.level.rawValue == level)
    #expect(verdict.cause == (level == 1 ? nil : .roundTrip))
  }

  @Test(arguments: [(0, 1), (4, 1), (5, 2), (19, 2), (20, 3), (49, 3), (50, 4), (149, 4), (150, 5), (1_000, 5)])
  func aLossHasALevel(lostOfThousand: Int, level: Int) {
    let verdict = QualityVerdict(reading(missed: lostOfThousand))
    #expect(verdict.level.rawValue == level)
    #expect(verdict.cause == (level == 1 ? nil : .loss))
    let heard = HeardQuality(received: 1_000 - lostOfThousand, lost: lostOfThousand)
    let other = QualityVerdict(reading(heard: heard))
    #expect(other.level.rawValue == level)
    #expect(other.cause == (level == 1 ? nil : .reception))
  }

  @Test func theWorstPartDecidesAndOfEqualOnesTheFirst() {
    let mixed = QualityVerdict(reading(roundTrip: 150, jitter: 130, missed: 30))
    #expect(mixed == QualityVerdict(reading(jitter: 130)))
    #expect(mixed.cause == .jitter)
    #expect(mixed.level == .unusable)
    #expect(QualityVerdict(reading(roundTrip: 150, missed: 30)).cause == .loss)
    // 7,200 of 144,000 samples are 5 %.
    let holes = QualityVerdict(reading(roundTrip: 150, concealed: 7_200))
    #expect(holes.cause == .concealment)
    #expect(holes.level == .poor)
  }

  @Test func withoutAPacketNothingElseCounts() {
    let verdict = QualityVerdict(QualityReading(roundTrip: 1, expected: 0))
    #expect(verdict.level == .unusable)
    #expect(verdict.cause == .absence)
  }

  @Test func aClientsRoundTripCountsOnlyWhereThereIsNoOther() {
    let heard = HeardQuality(roundTrip: 500)
    #expect(QualityVerdict(reading(roundTrip: 10, heard: heard)).level == .veryGood)
    #expect(QualityVerdict(reading(heard: heard)).cause == .roundTrip)
  }

  @Test(arguments: [
    HeardQuality(roundTrip: -1), HeardQuality(roundTrip: .nan), HeardQuality(jitter: .infinity),
    HeardQuality(lost: -1), HeardQuality(received: .max), HeardQuality(concealed: -5), HeardQuality(dbfs: 1_000),
  ]) func whatNoClientCanHaveMeasuredIsRefused(heard: HeardQuality) {
    #expect(throws: ValueProblem.self) { try heard.check() }
  }

  private func row(_ start: Int64, _ end: Int64, missed: Int) -> QualityRow {
    let rate = SamplePosition.rate
    return QualityRow(
      start: SamplePosition(start * rate), end: SamplePosition(end * rate), reading: reading(missed: missed))
  }

  @Test func aRowIsReadAsItWasWritten() throws {
    var row = row(3, 6, missed: 60)
    row.reading.dbfs = -20.5
    row.reading.heard = HeardQuality(roundTrip: 12.25, received: 148, lost: 2)
    let bytes = try JSONEncoder().encode(row)
    #expect(try JSONDecoder().decode(QualityRow.self, from: bytes) == row)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("\"level\":4"))
    #expect(text.contains("\"cause\":\"loss\""))
  }

  @Test func gapsOfTheTrackReplaceTheEstimate() {
    let gaps = [
      Gap(start: SamplePosition(143_000), length: SamplePosition(2_000), cause: .loss, isConcealed: true),
      Gap(start: SamplePosition(200_000), length: SamplePosition(960), cause: .loss, isConcealed: true),
      Gap(start: SamplePosition(288_000), length: SamplePosition(960), cause: .loss, isConcealed: true),
    ]
    // 1,000 samples of the first are before it, and all of the last behind.
    #expect(row(3, 6, missed: 0).counting(gaps).reading.concealed == 1_960)
  }

  @Test func neighboursForOneReasonAreOneStretch() throws {
    let track = TrackID(at: WallTime(milliseconds: 0))
    let rows = [row(0, 3, missed: 0), row(3, 6, missed: 60), row(6, 9, missed: 80), row(9, 12, missed: 30)]
    let summary = QualitySummary(of: rows, track: track)
    #expect(summary.levels.map(\.seconds) == [3, 0, 3, 6, 0])
    #expect(summary.stretches.map(\.start.seconds) == [3, 9])
    #expect(summary.stretches.map(\.end.seconds) == [9, 12])
    #expect(summary.stretches.map(\.level) == [.poor, .fair])
    try summary.check()
  }

  @Test func ofManyStretchesTheWorstAreListedInOrder() {
    let track = TrackID(at: WallTime(milliseconds: 0))
    let rows = (0..<200).map { (index: Int64) in row(10 * index, 10 * index + 3, missed: index == 150 ? 200 : 30) }
    let summary = QualitySummary(of: rows, track: track)
    #expect(summary.stretches.count == 64)
    #expect(summary.stretches.contains { $0.level == .unusable })
    let starts = summary.stretches.map(\.start)
    #expect(starts == starts.sorted())
  }
}
