import Foundation
import TestSupport
import Testing

@testable import Recording

/// A copy is placed where its sound shows that it lies there, and nowhere else.
@Suite struct LineSupportTests {
  /// Samples of a block.
  private static let block: Int64 = 4_096
  private static let length = 20.0

  /// A copy that has lost 30 ms at 14 s.
  private func lossy() throws -> AlignmentWindows {
    var rehearsal = VirtualBackup(sound: VirtualSound.music(26), lead: 3, length: LineSupportTests.length)
    (rehearsal.start, rehearsal.losses) = (0, [(at: 14, frames: 1_440)])
    return AlignmentWindows(take: try rehearsal.track(), backup: rehearsal.backup())
  }

  /// A line without drift that was measured between two places, in seconds.
  private func line(_ delay: Double, from start: Double, to end: Double) -> DelayCurve {
    var curve = DelayCurve(at: start * 48_000, delay: delay, slope: 0)
    curve.append(DelayCurve(at: end * 48_000 - 1, delay: delay, slope: 0))
    return curve
  }

  @Test func aLineHoldsBeyondItsLastReadingWhileTheSoundFits() throws {
    let whole: Range<Int64> = 0..<960_000
    let part = try #require(
      try LineSupport(windows: lossy()).part(of: line(0, from: 2, to: 9), in: whole, fitting: [], {}))
    // To its beginning, and to the loss, but not over it.
    #expect(part.lowerBound == 0)
    #expect((672_000 - 2 * LineSupportTests.block...672_000).contains(part.upperBound), "\(part)")
  }

  @Test func theSameBehindTheLoss() throws {
    let part = try #require(
      try LineSupport(windows: lossy()).part(of: line(-1_440, from: 16, to: 18), in: 0..<960_000, fitting: [], {}))
    #expect(part.upperBound == 960_000)
    #expect((672_000...672_000 + 2 * LineSupportTests.block).contains(part.lowerBound), "\(part)")
  }

  /// The track may bend where nothing was read, by 0.2 ms a second.
  @Test func theFurtherALineGoesBeyondItsReadingsTheLessIsCertain() throws {
    let support = LineSupport(windows: try lossy())
    let curve = line(0, from: 3, to: 9)
    #expect(try support.doubt(about: 120_000..<480_000, along: curve, {}) == 0)
    // From 1.25 s on: 3.75 s behind the last reading, 0.5 s before the first.
    #expect(abs(try support.doubt(about: 60_000..<672_000, along: curve, {}) - 36) < 0.001)
    #expect(abs(try support.doubt(about: 60_000..<480_000, along: curve, {}) - 4.8) < 0.001)
  }

  @Test func silenceIsNoSoundThatCouldLieWrongly() throws {
    var sound = VirtualSound.music(26)
    for channel in sound.indices { for index in 0..<(10 * 48_000) { sound[channel][index] = 0 } }
    var rehearsal = VirtualBackup(sound: sound, lead: 3, length: LineSupportTests.length)
    rehearsal.start = 0
    let support = LineSupport(windows: AlignmentWindows(take: try rehearsal.track(), backup: rehearsal.backup()))
    #expect(try support.doubt(about: 0..<960_000, along: line(0, from: 7.9, to: 19.5), {}) == 0)
  }

  @Test func aLineThatNothingBearsOutIsNone() throws {
    let part = try LineSupport(windows: lossy()).part(of: line(480, from: 2, to: 9), in: 0..<960_000, fitting: [], {})
    #expect(part == nil)
  }

  /// Left and right play different things: one channel alone is like the track to 0.7.
  @Test func oneChannelOfATrackOfTwoIsTheSameSound() throws {
    let (left, right) = (VirtualSound.music(26, seed: 3)[0], VirtualSound.music(26, seed: 4)[0])
    var rehearsal = VirtualBackup(sound: [left, right], lead: 3, length: LineSupportTests.length)
    rehearsal.start = 0
    let track = try rehearsal.track()
    rehearsal.sound = [left]
    let alignment = try BackupAligner(take: track, backup: rehearsal.backup()).align()
    #expect(alignment.correlation < 0.85)
    let covered = alignment.mapping.stretches.reduce(0) { $0 + ($1.end - $1.start) }
    #expect(covered > 900_000, "\(alignment.mapping)")
    #expect(rehearsal.error(of: alignment.mapping) < 1)
  }

  private static let vectors = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/vectors")
  private static let hasVectors = FileManager.default.fileExists(atPath: vectors.path + "/misplaced-copy")

  /// A track and the copy that a release published for it: 30 ms early from 17.2 s on, where its last reading was. Lies
  /// beside the checkout, since it is somebody's music.
  @Test(.enabled(if: LineSupportTests.hasVectors))
  func theCopyThatWasPublishedMisplacedIsNotAgain() throws {
    func sound(_ name: String) throws -> SoundArray {
      let folder = try TakeFolder(existing: "misplaced-copy", in: LineSupportTests.vectors.path)
      let reader = try SoundFileReader(name, in: folder)
      let samples = try reader.read(frames: Int(reader.frameCount))
      return SoundArray(samples, channels: reader.channels, rate: reader.rate)
    }
    let (track, copy) = (try sound("network.flac"), try sound("lossless.flac"))
    // The line that was published: what lies behind its last reading stays the network's.
    var published = DelayCurve(at: 643_724, delay: 0, slope: 0)
    published.append(DelayCurve(at: 822_963, delay: 0, slope: 0))
    let windows = AlignmentWindows(take: track, backup: copy)
    let part = try #require(
      try LineSupport(windows: windows).part(of: published, in: 592_800..<1_108_212, fitting: [], {}))
    #expect(part.upperBound < 822_964 + 2 * LineSupportTests.block, "\(part)")
    // The whole alignment, with that copy as the upload: wherever it is used, it is the track's sound at its place.
    let alignment = try BackupAligner(take: track, backup: copy).align()
    var compared = 0
    for stretch in alignment.mapping.stretches {
      for start in stride(from: stretch.start, through: stretch.end - 24_000, by: 24_000) {
        let left = try track.mono(from: start, frames: 24_000)
        let delay = Int64(stretch.position(of: Double(start)).rounded()) - start
        let right = try copy.mono(from: start + delay, frames: 24_000)
        var likeness = Likeness()
        likeness.add(left, right)
        // 30 ms early it is 0.26 at most.
        #expect(likeness.coefficient > 0.5, "\(Double(start) / 48_000) s: \(likeness.coefficient)")
        compared += 1
      }
    }
    #expect(compared >= 24, "\(alignment.mapping)")
  }
}
