import Foundation
import Recording
import TestSupport
import Testing

@Suite struct LosslessRenderTests {
  @Test func isTheBackupOnTheTakesTimeLine() throws {
    var rehearsal = VirtualBackup(sound: VirtualSound.music(16, isStereo: true), lead: 2, length: 12)
    (rehearsal.rate, rehearsal.drift, rehearsal.channels) = (44_100, 80, 2)
    (rehearsal.start, rehearsal.end) = (-0.5, 9)
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("a/b/c", in: scratch.path)
    let (track, backup) = (try rehearsal.track(), rehearsal.backup())
    let mapping = try BackupAligner(take: track, backup: backup).align().mapping
    let made = try LosslessRender(track: track, backup: backup, mapping: mapping)
      .write("01-ada-lossless.flac", in: folder, tags: SoundFileTags(artist: "Ada"))
    let file = try SoundFileReader("01-ada-lossless.flac", in: folder)
    #expect(file.frameCount == track.frameCount && file.channels == 2 && file.rate == 48_000)
    #expect(file.tags.artist == "Ada")
    #expect(folder.has("01-ada-lossless.peaks.dat") && made.peaks.size > 0)
    let samples = try file.read(frames: Int(track.frameCount))
    // What the microphone heard, which neither codec nor other clock has touched: 16 bits' worth of it at least.
    var (wanted, wrong) = (0.0, 0.0)
    for frame in 0..<(9 * 48_000 - 1_000) {
      for channel in 0..<2 {
        let heard = Double(rehearsal.sound[channel][96_000 + frame])
        wanted += heard * heard
        wrong += (Double(samples[frame * 2 + channel]) - heard) * (Double(samples[frame * 2 + channel]) - heard)
      }
    }
    #expect(wrong / wanted < 1e-5)
    // The track stands in behind the backup's end.
    let end = try #require(mapping.stretches.last?.end)
    #expect(abs(Double(end) - 9 * 48_000) < 3)
    for index in (Int(end) * 2)..<samples.count { #expect(abs(samples[index] - track.samples[index]) < 1e-6) }
    #expect(mapping.covered == end)
  }

  @Test func aLineOfTheMappingGoesOnBeyondItsKnots() {
    let stretch = BackupMapping.Stretch(
      start: 0, end: 100,
      knots: [.init(take: 20, backup: 10), .init(take: 40, backup: 30), .init(take: 60, backup: 52)])
    #expect(stretch.position(of: 0) == -10)
    #expect(stretch.position(of: 30) == 20)
    #expect(stretch.position(of: 50) == 41)
    #expect(abs(stretch.position(of: 80) - 74) < 1e-9)
  }

  @Test func isSeamlessWhereLinesMeetAndBlocksEnd() throws {
    // A tone of 1 kHz on a line that bends: no step may be larger than the tone's own.
    let tone = SoundArray(
      (0..<200_000).map { Float(0.5 * sin(2 * .pi * 1_000 * Double($0) / 48_000)) }, channels: 1, rate: 48_000)
    let track = SoundArray([Float](repeating: 0, count: 150_000), channels: 1, rate: 48_000)
    let mapping = BackupMapping(stretches: [
      .init(
        start: 0, end: 150_000,
        knots: [
          .init(take: 0, backup: 5_000.3), .init(take: 60_000.5, backup: 65_006.1),
          .init(take: 150_000, backup: 155_001),
        ])
    ])
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("a/b/c", in: scratch.path)
    _ = try LosslessRender(track: track, backup: tone, mapping: mapping)
      .write("tone.flac", in: folder, tags: SoundFileTags())
    let samples = try SoundFileReader("tone.flac", in: folder).read(frames: 150_000)
    let steps = zip(samples, samples.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.5 * 2 * .pi * 1_000 / 48_000 * 1.001)
    #expect(abs((samples.max() ?? 0) - 0.5) < 1e-4)
  }
}
