import Foundation
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct ListeningFileTests {
  private static let frames = 5 * 48_000

  /// Five seconds of a tone that rises.
  private static func samples(_ channels: Int) -> [Float] {
    (0..<frames).flatMap { index -> [Float] in
      let time = Double(index) / 48_000
      let sound = Float(0.4 * sin(2 * Double.pi * (500 + 200 * time) * time))
      return [Float](repeating: sound, count: channels)
    }
  }

  private func take(_ channels: Int = 1) throws -> (ScratchFolder, TakeFolder) {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.obtain("a/b/c", in: scratch.path)
    try write(ListeningFileTests.samples(channels), channels, in: folder)
    return (scratch, folder)
  }

  private func write(_ samples: [Float], _ channels: Int, in folder: TakeFolder) throws {
    let writer = try SoundFileWriter("01-ada.flac", in: folder, channels: channels)
    try writer.write(samples)
    _ = try writer.finish()
  }

  @Test(arguments: [1, 2]) func segmentsAreTheSoundToTheSample(_ channels: Int) throws {
    let (scratch, folder) = try take(channels)
    defer { withExtendedLifetime(scratch) {} }
    #expect(try ListeningFile(for: "01-ada.flac", in: folder) == nil)
    try ListeningFile.make(for: "01-ada.flac", in: folder)
    let file = try #require(try ListeningFile(for: "01-ada.flac", in: folder))
    #expect(file.count == 3)
    let wanted = ListeningFileTests.samples(1)
    for index in 0..<3 {
      let reader = try SoundFileReader(copying: try #require(try file.segment(index)))
      let own = min(ListeningSegment.frames, ListeningFileTests.frames - index * ListeningSegment.frames)
      #expect(reader.channels == channels && reader.frameCount == Int64(ListeningSegment.preRoll + own))
      let samples = try reader.read(frames: Int(reader.frameCount))
      var (power, wrong) = (0.0, 0.0)
      for frame in 0..<own {
        let want = Double(wanted[index * ListeningSegment.frames + frame])
        let error: Double = Double(samples[(ListeningSegment.preRoll + frame) * channels]) - want
        power += want * want
        wrong += error * error
      }
      // A single sample of delay would leave more than 1.5 %.
      #expect(wrong / power < 0.01, "segment \(index): \(wrong / power)")
    }
    #expect(try file.segment(3) == nil && file.segment(-1) == nil)
  }

  @Test func segmentsOfAnEarlierSoundAreNone() throws {
    let (scratch, folder) = try take()
    defer { withExtendedLifetime(scratch) {} }
    try ListeningFile.make(for: "01-ada.flac", in: folder)
    let first = try folder.read("01-ada.listen")
    try write(Array(ListeningFileTests.samples(1).dropLast(960)), 1, in: folder)
    #expect(try ListeningFile(for: "01-ada.flac", in: folder) == nil)
    try ListeningFile.make(for: "01-ada.flac", in: folder)
    #expect(try ListeningFile(for: "01-ada.flac", in: folder) != nil)
    #expect(try folder.read("01-ada.listen") != first)
  }

  @Test func damagedSegmentsAreNone() throws {
    let (scratch, folder) = try take()
    defer { withExtendedLifetime(scratch) {} }
    try ListeningFile.make(for: "01-ada.flac", in: folder)
    let whole = try folder.read("01-ada.listen")
    for length in [0, 7, 31, 32, 40, whole.count / 2, whole.count - 1] {
      try folder.write(Array(whole.prefix(length)), as: "01-ada.listen")
      #expect(try ListeningFile(for: "01-ada.flac", in: folder) == nil, "\(length) bytes")
    }
    // A table that leads elsewhere, behind an end that is right.
    let table = whole.count - 32 - 4 * 8
    for value in [UInt8.max, 0] {
      var bytes = whole
      for index in table..<(whole.count - 32) { bytes[index] = value }
      try folder.write(bytes, as: "01-ada.listen")
      let file = try #require(try ListeningFile(for: "01-ada.flac", in: folder))
      for index in 0..<3 { #expect(try file.segment(index) == nil) }
    }
  }

  @Test func workThatIsStoppedLeavesNothing() throws {
    let (scratch, folder) = try take()
    defer { withExtendedLifetime(scratch) {} }
    var calls = 0
    #expect(throws: CancellationError.self) {
      try ListeningFile.make(for: "01-ada.flac", in: folder) {
        calls += 1
        if calls == 2 { throw CancellationError() }
      }
    }
    #expect(try folder.names() == ["01-ada.flac"])
  }

  @Test func equalSoundGivesEqualBytes() throws {
    let samples = ListeningFileTests.samples(1)
    #expect(
      try ListeningSegment.encode(samples, channels: 1) == ListeningSegment.encode(samples, channels: 1))
  }
}
