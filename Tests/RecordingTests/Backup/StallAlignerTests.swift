import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct StallAlignerTests {
  private static let music = VirtualSound.music(16)

  private func gap(_ start: Int64, _ length: Int64, _ cause: Gap.Cause = .captureStall) -> Gap {
    Gap(start: SamplePosition(start), length: SamplePosition(length), cause: cause, isConcealed: true)
  }

  @Test func whatNeitherHasIsNoLoss() throws {
    var rehearsal = VirtualBackup(sound: Self.music, lead: 3, length: 10)
    (rehearsal.rate, rehearsal.drift) = (44_100, 30)
    // What stood still every tenth of a second for a while: nothing between is long enough to be found by itself.
    let places = (0..<20).map { 150_000 + Int64($0) * 5_000 } + [400_000, 430_000]
    let length: Int64 = 1_440
    var samples = try rehearsal.track().samples
    var gaps: [Gap] = []
    for (index, place) in places.enumerated() {
      let start = place + Int64(index) * length
      samples.insert(contentsOf: [Float](repeating: 0, count: Int(length)), at: Int(start))
      gaps.append(gap(start, length))
    }
    let take = SoundArray(samples, channels: 1, rate: 48_000)
    let alignment = try StallAligner(take: take, backup: rehearsal.backup(), expected: nil, gaps: gaps).align {}
    let stretches = alignment.mapping.stretches
    #expect(stretches.count == places.count + 1)
    #expect(alignment.mapping.covered == 480_000)
    #expect(abs(alignment.offset - rehearsal.start) < 0.000_01)
    for (number, stretch) in stretches.enumerated() {
      if number > 0 { #expect(stretch.start == gaps[number - 1].start.samples + length) }
      // Without what stood still before it, the stretch lies where the sound was.
      let plain = BackupMapping(stretches: [stretch.moved(by: -Int64(number) * length)])
      #expect(rehearsal.error(of: plain, every: 240) < 0.1)
    }
  }

  @Test func whereTheBackupWentOnItIsUsed() throws {
    var rehearsal = VirtualBackup(sound: Self.music, lead: 3, length: 10)
    rehearsal.gaps = [4...4.5]
    let alignment = try StallAligner(
      take: try rehearsal.track(), backup: rehearsal.backup(), expected: nil, gaps: [gap(192_000, 24_000)]
    ).align {}
    #expect(alignment.mapping.stretches.count == 1)
    #expect(alignment.mapping.covered == 480_000)
    #expect(rehearsal.error(of: alignment.mapping) < 0.1)
  }

  @Test func cutsAreUndoneToTheSample() throws {
    let cuts = TakeCuts([300..<400, 100..<200, 150..<250, 950..<2_000], of: 1_000)
    #expect(cuts.length == 700)
    #expect(cuts.ranges(of: 0..<700) == [0..<100, 250..<300, 400..<950])
    #expect(cuts.ranges(of: 99..<151) == [99..<100, 250..<300, 400..<401])
    #expect(cuts.ranges(of: 100..<100).isEmpty)
    #expect([-5, 99.5, 100, 150, 699, 800].map(cuts.place) == [-5, 99.5, 250, 400, 949, 1_050])
    let sound = SoundArray((0..<1_000).map(Float.init), channels: 1, rate: 48_000)
    let left = CutSource(sound, cuts)
    #expect(left.frameCount == 700)
    #expect(try left.read(from: 98, frames: 4) == [98, 99, 250, 251])
  }

  @Test func aPartOfAStretchTellsTheSame() {
    let knots = [(10.0, 5.0), (20, 16), (40, 35), (80, 77), (100, 96)].map {
      BackupMapping.Knot(take: $0.0, backup: $0.1)
    }
    let stretch = BackupMapping.Stretch(start: 0, end: 130, knots: knots)
    for start in stride(from: Int64(0), to: 120, by: 7) {
      for end in stride(from: start + 1, to: 130, by: 11) {
        let part = stretch.part(start..<end).moved(by: 1_000)
        #expect(part.start == start + 1_000 && part.end == end + 1_000)
        for sample in start..<end {
          #expect(abs(part.position(of: Double(sample + 1_000)) - stretch.position(of: Double(sample))) < 1e-9)
        }
      }
    }
  }
}
