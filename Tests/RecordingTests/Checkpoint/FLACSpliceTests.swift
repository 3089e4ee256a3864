import Foundation
import TestSupport
import Testing

@testable import Recording

/// FLAC files that one encoder begins and another continues.
@Suite struct FLACSpliceTests {
  private func sound(frames: Int, channels: Int) -> [Float] {
    var random = SeededRandom(15)
    return (0..<frames * channels).map { index in
      0.6 * sin(Float(index / channels) * 0.031 * Float(index % channels + 1))
        + Float.random(in: -0.01...0.01, using: &random)
    }
  }

  private func folder(_ scratch: ScratchFolder) throws -> TakeFolder {
    try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
  }

  /// The whole frames of a FLAC file.
  private func frames(of bytes: [UInt8]) -> [[UInt8]] {
    var starts: [Int] = []
    for place in bytes.indices where bytes[place] == 0xFF {
      let frame = bytes[place...].withUnsafeBytes { FLACFrame($0) }
      if let frame, frame.number == Int64(starts.count) { starts.append(place) }
    }
    return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
  }

  private func flac(_ samples: [Float], channels: Int, format: SoundFileFormat = .flac24) throws -> [UInt8] {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let writer = try SoundFileWriter("a.flac", in: folder, format: format, channels: channels)
    try writer.write(samples)
    _ = try writer.finish()
    return try folder.read("a.flac")
  }

  @Test func framesAreRecognisedAndNumbered() throws {
    let frames = frames(of: try flac(sound(frames: 20_000, channels: 1), channels: 1))
    #expect(frames.count == 5)
    for (index, bytes) in frames.enumerated() {
      let frame = try #require(bytes.withUnsafeBytes { FLACFrame($0) })
      #expect(frame.number == Int64(index))
      // The last is shorter and says so in further bytes.
      #expect(frame.blockSize == (index < 4 ? 4_096 : 20_000 - 4 * 4_096))
      for number in [0, 1, 127, 128, 2_047, 2_048, 65_535, 65_536, 2_097_151, 2_097_152, 67_108_864, 2_147_483_647] {
        let other = try #require(bytes.withUnsafeBytes { frame.renumbered($0, as: Int64(number)) })
        let read = try #require(other.withUnsafeBytes { FLACFrame($0) })
        #expect(read.number == Int64(number) && read.blockSize == frame.blockSize)
        let back = other.withUnsafeBytes { read.renumbered($0, as: Int64(index)) }
        #expect(back == bytes)
      }
      #expect(bytes.withUnsafeBytes { frame.renumbered($0, as: 1 << 31) } == nil)
      #expect(bytes.withUnsafeBytes { frame.renumbered($0, as: -1) } == nil)
    }
  }

  @Test func aDamagedFrameIsRefused() throws {
    let frame = try #require(frames(of: try flac(sound(frames: 5_000, channels: 2), channels: 2)).first)
    for place in stride(from: 0, to: frame.count, by: 13) {
      var damaged = frame
      damaged[place] ^= 0x10
      let result = damaged.withUnsafeBytes { bytes in FLACFrame(bytes)?.renumbered(bytes, as: 7) }
      #expect(result == nil, "byte \(place)")
    }
    for length in 0..<min(64, frame.count) {
      let result = frame[..<length].withUnsafeBytes { bytes in FLACFrame(bytes)?.renumbered(bytes, as: 7) }
      #expect(result == nil, "\(length) bytes")
    }
  }

  @Test func bytesOfAnyKindTrapNothing() {
    var random = SeededRandom(15)
    for _ in 0..<5_000 {
      var bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if bytes.count > 1 { bytes.replaceSubrange(0..<2, with: [0xFF, 0xF8]) }
      var (progress, splice) = (FLACProgress(), FLACSplice(after: 3))
      bytes.withUnsafeBytes { bytes in
        progress.note(bytes)
        _ = FLACFrame(bytes)?.renumbered(bytes, as: 5)
        _ = splice.take(bytes)
      }
      _ = FLACSplice.patch(bytes, samples: .max)
      #expect(progress.frames <= 1 && splice.length == Int64(bytes.count))
    }
  }

  private static let cases: [(SoundFileFormat, Int, Int)] = [SoundFileFormat.flac24, .flac16].flatMap { format in
    [1, 2].flatMap { channels in [4_200, 8_192, 8_193, 30_000, 59_999].map { (format, channels, $0) } }
  }

  /// The frames are those of one encoder, wherever the first stopped.
  @Test(arguments: cases) func aContinuedFileHasTheFramesOfOne(format: SoundFileFormat, channels: Int, place: Int)
    throws
  {
    let samples = sound(frames: 60_000, channels: channels)
    let whole = try flac(samples, channels: channels, format: format)
    let (first, second) = (try ScratchFolder(), try ScratchFolder())
    let tags = SoundFileTags(title: "Blues in F")
    let former = try SoundFileWriter(
      "a.flac", in: try folder(first), format: format, channels: channels, tags: tags)
    former.prepareForCheckpoints()
    for start in stride(from: 0, to: place, by: 960) {
      try former.write(Array(samples[(start * channels)..<(min(place, start + 960) * channels)]))
    }
    let part = try #require(try former.part())
    #expect(part.progress.samples + Int64(part.pending.values.count / channels) == Int64(place))
    #expect(part.pending.values.count <= 4_097 * channels)
    // What came after the checkpoint is of no use.
    try former.write([Float](repeating: 0.1, count: 10_000 * channels))
    let target = try folder(second)
    try withExtendedLifetime(former) {
      try target.write(
        try TakeFolder(existing: target.path, in: first.path).read(part.file.file), as: part.file.file)
    }
    let copy = try JSONDecoder().decode(SoundFileWriter.Part.self, from: JSONEncoder().encode(part))
    let writer = try SoundFileWriter(
      continuing: copy, of: "a.flac", in: target, format: format, channels: channels)
    #expect(writer.frameCount == Int64(place))
    try writer.write(Array(samples[(place * channels)...]))
    let finished = try writer.finish()
    #expect(try target.names() == ["a.flac"])
    let bytes = try target.read("a.flac")
    let isSame = frames(of: bytes) == frames(of: whole)
    #expect(isSame)
    #expect(finished.size == Int64(bytes.count))
    #expect(try FileDigest(of: "a.flac", in: target) == finished.digest)
    let reader = try SoundFileReader("a.flac", in: target)
    #expect(reader.frameCount == 60_000 && reader.channels == channels && reader.tags.title == "Blues in F")
    // The fingerprint of all samples is unknown, the rest of the counts is as ever.
    #expect(bytes[12..<18].allSatisfy { $0 == 0 } && bytes[26..<42].allSatisfy { $0 == 0 })
    #expect(bytes[18..<26] == whole[18..<26])
    // Another decoder checks every frame's checksum and number.
    let path = "\(second.path)/\(target.path)/a.flac"
    let heard = try OutsideReader.run(
      "ffmpeg", ["-v", "error", "-xerror", "-err_detect", "crccheck+explode", "-i", path, "-f", "s32le", "-"])
    let expected = try SoundFileReader(copying: whole).readIntegers(frames: 60_000)
    let isHeard = Array(heard) == expected.withUnsafeBytes { Array($0) }
    #expect(isHeard)
  }

  @Test func aFileContinuedTwiceIsWhole() throws {
    let samples = sound(frames: 50_000, channels: 1)
    let scratches = try (0..<3).map { _ in try ScratchFolder() }
    let folders = try scratches.map(folder)
    var writer = try SoundFileWriter("a.flac", in: folders[0], channels: 1)
    writer.prepareForCheckpoints()
    var done = 0
    for (index, place) in [13_000, 31_000].enumerated() {
      try writer.write(Array(samples[done..<place]))
      done = place
      let part = try #require(try writer.part())
      try folders[index + 1].write(try folders[index].read(part.file.file), as: part.file.file)
      writer = try SoundFileWriter(
        continuing: part, of: "a.flac", in: folders[index + 1], format: .flac24, channels: 1)
    }
    try writer.write(Array(samples[done...]))
    _ = try writer.finish()
    let isSame = frames(of: try folders[2].read("a.flac")) == frames(of: try flac(samples, channels: 1))
    #expect(isSame)
  }

  @Test func nothingIsContinuedWithoutAWholeFrame() throws {
    let scratch = try ScratchFolder()
    let writer = try SoundFileWriter("a.flac", in: try folder(scratch), channels: 1)
    writer.prepareForCheckpoints()
    try writer.write([Float](repeating: 0, count: 4_000))
    #expect(try writer.part() == nil)
  }
}

extension TakeFolder {
  /// The name that `name` has until it is finished.
  func unfinished(_ name: String) throws -> String {
    try #require(try names().first { $0.hasPrefix(name + ".") && $0.hasSuffix(TakeFolder.partSuffix) })
  }
}
