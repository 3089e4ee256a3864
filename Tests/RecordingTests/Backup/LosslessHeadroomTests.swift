import Foundation
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct LosslessHeadroomTests {
  /// A recording that its converter clipped: the true peaks lie between its samples.
  private static func hot(_ count: Int) -> SoundArray {
    let samples = (0..<count).map { index -> Float in
      let angle: Double = 2 * Double.pi * 11_000 * Double(index) / 48_000
      return Float(max(-1, min(1, 3 * sin(angle + 0.3))))
    }
    return SoundArray(samples, channels: 1, rate: 48_000)
  }

  /// Half a sample beside the recorder's.
  private static func mapping(_ length: Int64) -> BackupMapping {
    BackupMapping(stretches: [
      .init(
        start: 0, end: length,
        knots: [.init(take: 0, backup: 1_000.5), .init(take: Double(length), backup: Double(length) + 1_000.5)])
    ])
  }

  private static let length = 96_000

  private func render(_ backup: SoundArray) -> LosslessRender {
    let track = SoundArray(
      [Float](repeating: 0, count: LosslessHeadroomTests.length), channels: 1, rate: 48_000)
    return LosslessRender(
      track: track, backup: backup, mapping: LosslessHeadroomTests.mapping(Int64(LosslessHeadroomTests.length)))
  }

  @Test func aHotRecordingIsStoredLowerAndNothingClips() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("a/b/c", in: scratch.path)
    let length = LosslessHeadroomTests.length
    let render = render(LosslessHeadroomTests.hot(length + 4_000))
    let made = try render.write("hot.flac", in: folder, tags: SoundFileTags())
    let wanted = try render.samples(0..<Int64(length))
    let highest = wanted.map(abs).max() ?? 0
    #expect(highest > 1.05, "the test needs peaks between samples: \(highest)")
    let gain = try #require(made.gain)
    #expect(abs(gain - 6.0206) < 0.001, "\(gain)")
    #expect((made.peak ?? 0) > 0.4, "the level told is the sound's own: \(made.peak ?? 0)")
    #expect(try folder.names().sorted() == ["hot.6dB.flac", "hot.peaks.dat"])
    #expect(made.sound.name == "hot.6dB.flac")

    let file = ScaledSource(try SoundFileSource("hot.6dB.flac", in: folder), decibels: gain)
    let stored = try file.read(from: 0, frames: length)
    var (power, wrong) = (0.0, 0.0)
    for (got, want) in zip(stored, wanted) {
      let error: Double = Double(got) - Double(want)
      power += Double(want) * Double(want)
      wrong += error * error
    }
    let null = 10 * log10(wrong / power)
    #expect(null < -90, "\(null) dB")
  }

  @Test func anOrdinaryRecordingStaysAtItsLevel() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("a/b/c", in: scratch.path)
    let soft = SoundArray(
      LosslessHeadroomTests.hot(LosslessHeadroomTests.length + 4_000).samples.map { $0 / 2 }, channels: 1, rate: 48_000)
    #expect(try render(soft).write("soft.flac", in: folder, tags: SoundFileTags()).gain == nil)
  }

  /// A process may end between the file and the list that has its gain.
  @Test func theListedFileStaysUntilTheListHasTheNewOne() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("a/b/c", in: scratch.path)
    let hot = LosslessHeadroomTests.hot(LosslessHeadroomTests.length + 4_000)
    let soft = SoundArray(hot.samples.map { $0 / 2 }, channels: 1, rate: 48_000)
    let take = TakeID(at: WallTime(milliseconds: 1_000))
    let former = try render(soft).write("01-ada-lossless.flac", in: folder, tags: SoundFileTags())
    let track = TrackID(at: WallTime(milliseconds: 1_000))
    _ = try LosslessMaker.enter(entry(former, track), of: take, in: folder)
    let bytes = try folder.read(former.sound.name)
    let made = try render(hot).write("01-ada-lossless.flac", in: folder, tags: SoundFileTags())
    #expect(try folder.read(former.sound.name) == bytes)
    _ = try LosslessMaker.enter(entry(made, track), of: take, in: folder)
    #expect(!folder.has(former.sound.name) && folder.has(made.sound.name))
    let listed = try LosslessTracks(of: take, in: folder).tracks.map(\.sound.name)
    #expect(listed == [made.sound.name])
  }

  private func entry(_ made: LosslessRender.Result, _ track: TrackID) -> LosslessTracks.Entry {
    let length = SamplePosition(Int64(LosslessHeadroomTests.length))
    return LosslessTracks.Entry(
      track: track, backup: BackupID(at: WallTime(milliseconds: 1_000)), sampleRate: 48_000, channels: 1,
      length: length, sound: Manifest.File(made.sound, role: .track, track: track, format: .flac24, gain: made.gain),
      peaks: Manifest.File(made.peaks, role: .peaks, track: track), reference: nil, peak: made.peak,
      loudness: made.loudness,
      report: BackupReport(
        offset: 0, drift: 0, correlation: 1, errorBound: 0, pieces: 1, covered: length, filled: .zero),
      mapping: LosslessHeadroomTests.mapping(length.samples))
  }

  @Test func aManifestWithAGainOutOfRangeIsRefused() {
    let file = Manifest.File(name: "x.flac", role: .track, size: 1, gain: 900)
    #expect(throws: ValueProblem.self) { try file.check() }
  }
}
