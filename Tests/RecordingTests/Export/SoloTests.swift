import Machines
import Music
import Testing

@testable import Recording

/// One musician's sound of a whole session as one file.
@Suite struct SoloTests {
  private static let start = WallTime(milliseconds: 1_795_229_769_123)

  private func part(
    _ seconds: Double, wall: Double? = nil, hasJournal: Bool = true, length: Double
  ) -> SoloPlan.Part {
    let startedAt = SoloTests.start + .seconds(wall ?? seconds)
    return SoloPlan.Part(
      take: TakeID(at: startedAt), startedAt: startedAt,
      zero: hasJournal ? MonotonicTime(nanoseconds: 5_000_000_000 + Int64(seconds * 1e9)) : nil,
      length: SamplePosition(Int64(length * 48_000)))
  }

  private func starts(_ plan: SoloPlan) -> [Int64] { plan.placed.map(\.start.samples) }

  @Test func silenceBetweenTakesIsAsLongAsItWas() throws {
    // In any order; the wall clock is a millisecond off.
    let plan = try SoloPlan([part(60.5, wall: 60.501, length: 10), part(0, length: 20)])
    #expect(starts(plan) == [0, 60 * 48_000 + 24_000])
    #expect(plan.length.samples == 70 * 48_000 + 24_000)
  }

  @Test func takesOfASplitFollowEachOtherToTheSample() throws {
    let plan = try SoloPlan([part(0, length: 20), part(20.000_01, length: 5), part(24.99, length: 5)])
    #expect(starts(plan) == [0, 20 * 48_000, 25 * 48_000])
  }

  @Test func withoutJournalsAndAfterARestartOfTheMachineTheWallClockCounts() throws {
    let without = try SoloPlan([part(0, hasJournal: false, length: 1), part(9, wall: 10, hasJournal: false, length: 1)])
    #expect(without.placed.last?.start == SamplePosition(480_000))
    // The recorder's clock began anew.
    let restarted = try SoloPlan([part(0, length: 1), part(-100, wall: 50, length: 1)])
    #expect(restarted.placed.last?.start == SamplePosition(2_400_000))
  }

  @Test func takesNeverOverlapWhateverTheClocksSay() throws {
    let plan = try SoloPlan([part(0, length: 20), part(5, length: 20), part(6, length: 1)])
    #expect(starts(plan) == [0, 20 * 48_000, 40 * 48_000])
  }

  @Test func whatNoFileCanHoldIsRefused() {
    #expect(throws: SoloProblem.noParts) { try SoloPlan([]) }
    #expect(throws: SoloProblem.tooLong) { try SoloPlan([part(0, length: 1), part(90_000, length: 1)]) }
    let endless = SoloPlan.Part(
      take: TakeID(at: SoloTests.start), startedAt: SoloTests.start, zero: nil, length: SamplePosition(.max))
    #expect(throws: SoloProblem.tooLong) { try SoloPlan([endless]) }
    let before = SoloPlan.Part(
      take: TakeID(at: SoloTests.start), startedAt: SoloTests.start, zero: nil, length: SamplePosition(-1))
    #expect(throws: SoloProblem.tooLong) { try SoloPlan([before]) }
  }

  /// A take of two mono tracks, steady at the values; the first is of the musician called "player 1".
  private func studio(_ value: Float, seconds: Double, at start: Double, as ada: Participant) throws -> MixStudio {
    let frames = Int(seconds * 48_000)
    var studio = try MixStudio(
      [[Float](repeating: value, count: frames), [Float](repeating: 0.9, count: frames)], channels: 1)
    studio.manifest.take.startedAt = SoloTests.start + .seconds(start)
    studio.manifest.take.id = TakeID(at: studio.manifest.take.startedAt)
    studio.manifest.tracks[0].participant = ada
    return studio
  }

  @Test func theFileHoldsTheMusiciansTracksAndSilence() throws {
    let ada = Participant(id: ParticipantID(at: SoloTests.start), name: try DisplayName(checking: "Ada"))
    let first = try studio(0.25, seconds: 1, at: 0, as: ada)
    let second = try studio(0.5, seconds: 0.5, at: 3, as: ada)
    let sources = [second, first].map { SoloFile.Source(folder: $0.folder, manifest: $0.manifest) }
    let solo = try SoloFile(of: "ada", in: sources)
    #expect(solo.participant == ada)
    var parts: [Double] = []
    let made = try solo.write("solo.wav", in: first.folder, format: .wav32f) { parts.append($0) }
    #expect(made.length.samples == Int64(3.5 * 48_000))
    #expect(parts == parts.sorted() && parts.last == 1)
    let samples = try SoundFileReader("solo.wav", in: first.folder).read(frames: 400_000)
    #expect(samples.count == 2 * 3 * 48_000 + 48_000)
    let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
    let right = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
    #expect(left == right)
    #expect(left[0..<48_000].allSatisfy { abs($0 - 0.25) < 1e-6 })
    #expect(left[48_000..<144_000].allSatisfy { $0 == 0 })
    #expect(left[144_000...].allSatisfy { abs($0 - 0.5) < 1e-6 })
    // Nothing is ever replaced.
    #expect(throws: FileProblem.self) { try solo.write("solo.wav", in: first.folder, format: .wav32f) }
  }

  @Test func whoIsNotThereIsNamedAndSoAreThoseWhoAre() throws {
    let ada = Participant(id: ParticipantID(at: SoloTests.start), name: try DisplayName(checking: "Ada"))
    let studio = try studio(0.25, seconds: 0.1, at: 0, as: ada)
    let source = SoloFile.Source(folder: studio.folder, manifest: studio.manifest)
    #expect(throws: SoloProblem.unknown("bob", present: ["Ada", "player 2"])) {
      _ = try SoloFile(of: "bob", in: [source])
    }
    var other = source.manifest
    other.tracks[1].participant.name = ada.name
    #expect(throws: SoloProblem.ambiguous("ADA")) {
      _ = try SoloFile(of: "ADA", in: [SoloFile.Source(folder: studio.folder, manifest: other)])
    }
    let byID = try SoloFile(of: ada.id.description, in: [SoloFile.Source(folder: studio.folder, manifest: other)])
    #expect(byID.plan.placed.count == 1)
  }
}
