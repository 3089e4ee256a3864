import Foundation
import Machines
import Music
import Testing

@testable import Recording

/// From the journal's readings to the rows of a take.
@Suite struct QualityLogTests {
  private func reading(_ seconds: Double = 3) -> QualityReading { QualityReading(duration: seconds, expected: 150) }

  private func places(_ rows: [QualityRow]) -> [[Double]] { rows.map { [$0.start.seconds, $0.end.seconds] } }

  @Test func rowsEndWhereTheyWereReadAndLieWithinTheTake() {
    var log = QualityLog()
    // It began before the take.
    log.note(reading(), track: 1, at: 48_000)
    log.note(reading(), track: 1, at: 192_000)
    // Made at a musician's end and again at the take's.
    log.note(reading(), track: 1, at: 240_000)
    log.note(reading(), track: 1, at: 480_000)
    #expect(places(log.rows(of: 1, gaps: [], until: 420_000)) == [[0, 1], [1, 4], [4, 5], [7, 8.75]])
    #expect(log.rows(of: 2, gaps: [], until: 420_000).isEmpty)
  }

  @Test func whatIsMissingFromTheTrackIsCountedInItsRow() {
    var log = QualityLog()
    log.note(reading(), track: 1, at: 144_000)
    log.note(reading(), track: 1, at: 288_000)
    let gaps = [0, 143_000, 200_000].map { (start: Int64) in
      Gap(start: SamplePosition(start), length: SamplePosition(2_000), cause: .loss, isConcealed: true)
    }
    let rows = log.rows(of: 1, gaps: gaps, until: 288_000)
    #expect(rows.map(\.reading.concealed) == [3_000, 3_000])
  }

  @Test func alteredReadingsMakeNoImpossibleRows() {
    var log = QualityLog()
    for duration in [-1, 1e300, .infinity, .nan] { log.note(reading(duration), track: 1, at: 144_000) }
    log.note(reading(), track: 1, at: -5)
    let rows = log.rows(of: 1, gaps: [], until: 1_000_000)
    #expect(places(rows) == [[0, 3]])
  }

  @Test func aCheckpointHoldsEveryReadingAsItIsAndInFewBytes() throws {
    let bare = QualityReading(expected: 0, missed: -3, lost: Int.max, concealed: Int.min)
    let full = QualityReading(
      duration: 2.999, roundTrip: 41.25, jitter: 0.1, expected: 150, missed: 9, lost: 1, concealed: 960, dbfs: -21.3,
      heard: HeardQuality(roundTrip: 30, jitter: 4, received: 140, lost: 2, concealed: 480, dbfs: -18.5))
    let partly = QualityReading(
      roundTrip: .infinity, jitter: nil, expected: 150, dbfs: -127, heard: HeardQuality(lost: 0))
    let nothingHeard = QualityReading(jitter: 3, expected: 150, heard: HeardQuality())
    let readings = [bare, full, partly, nothingHeard]
    var log = QualityLog()
    for index in 0..<200 { log.note(readings[index % 4], track: 1, at: Int64(index + 1) * 144_000) }
    log.note(full, track: 7, at: 5)
    let encoder = JSONEncoder()
    let store = PackedStore()
    for isStored in [false, true] {
      let decoder = JSONDecoder()
      if isStored { encoder.userInfo[PackedStore.key] = store }
      let text = try encoder.encode(log)
      if isStored {
        decoder.userInfo[PackedStore.key] = PackedStore(store.bytes)
        #expect(text.count < 300 && store.bytes.count == 200 * 128)
      }
      let again = try decoder.decode(QualityLog.self, from: text)
      for track in [1, 2, 7] {
        let before = log.rows(of: track, gaps: [], until: .max)
        let after = again.rows(of: track, gaps: [], until: .max)
        #expect(before == after)
      }
      let rows = again.rows(of: 1, gaps: [], until: .max)
      #expect(rows.count == 200)
      #expect(rows.dropFirst(3).first?.reading.heard == HeardQuality())
    }
    // Cut off in the middle of a reading.
    let broken = Data(#"{"entries":{"1":"AAAAAAAAAAA="}}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(QualityLog.self, from: broken) }
  }

  @Test func aTakeWithReadingsHasTheirFileAndASummary() throws {
    let folder = try ScratchFolder()
    let take = try JournalSamples.take()
    let place = try TakeFolder.create(for: take, in: folder.path)
    var track = try JournalSamples.track()
    track.meta = "{\"seat\":1}"
    let frames: [JournalFrame] = [
      .trackOpened(track: 1, track, at: JournalSamples.time(5_010)),
      .quality(
        track: 1, at: JournalSamples.time(8_000), QualityReading(roundTrip: 250, expected: 150, missed: 12, lost: 3)),
      .end(at: JournalSamples.time(9_000), .stopped),
    ]
    try place.write(try JournalSamples.journal(frames), as: TakeFolder.journalName)
    let rendered = try TakeRenderer(folder: place, take: take).finish()
    #expect(rendered.tracks.first?.meta == "{\"seat\":1}")
    let file = try #require(rendered.manifest.files.first { $0.role == .quality })
    #expect(file.digest == (try FileDigest(of: QualityFile.name, in: place)))
    let summary = try #require(rendered.manifest.quality?.first)
    #expect(summary.stretches.map(\.cause) == [.loss])
    #expect(try Manifest(of: place).quality == rendered.manifest.quality)
    let bytes = try place.read(QualityFile.name)
    #expect(file.size == Int64(bytes.count))
    let written = try JSONDecoder().decode(QualityFile.self, from: Data(bytes))
    let row = try #require(written.tracks.first?.rows.first)
    #expect(row.reading.missed == 12 && row.reading.roundTrip == 250)
    #expect(row.start == .zero && row.end.seconds == 3)
  }
}
