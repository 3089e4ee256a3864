import Foundation
import Music
import TestSupport
import Testing

@testable import Recording

/// WAV files that another process continues have the very bytes of one writer.
@Suite struct WAVContinuationTests {
  private static let tags = SoundFileTags(title: "Blues in F", artist: "Zoë", album: "cellar", trackNumber: 2)

  private func folder(_ disk: ScratchFolder) throws -> TakeFolder {
    try TakeFolder.create(for: try JournalSamples.take(), in: disk.path)
  }

  private func sound(frames: Int, channels: Int) -> [Float] {
    (0..<frames * channels).map { Float(sin(Double($0) * 0.013)) * 0.7 }
  }

  private func whole(_ samples: [Float], channels: Int) throws -> [UInt8] {
    let disk = try ScratchFolder()
    let folder = try folder(disk)
    let writer = try SoundFileWriter("a.wav", in: folder, format: .wav24, channels: channels, tags: Self.tags)
    try writer.write(samples)
    _ = try writer.finish()
    return try folder.read("a.wav")
  }

  /// Bytes behind what was synced, and whether nothing comes any more.
  private static let cases: [(Int, Int, Int)] = [1, 2].flatMap { channels in
    [1, 333, 20_001, 29_999].flatMap { place in [0, 5_000].map { (channels, place, $0) } }
  }

  @Test(arguments: cases) func aContinuedFileHasTheBytesOfOne(channels: Int, place: Int, more: Int) throws {
    let samples = sound(frames: 30_001, channels: channels)
    let (first, second) = (try ScratchFolder(), try ScratchFolder())
    let (begun, target) = (try folder(first), try folder(second))
    let former = try SoundFileWriter("a.wav", in: begun, format: .wav24, channels: channels, tags: Self.tags)
    former.prepareForCheckpoints()
    try former.write(Array(samples[..<(place * channels)]))
    let part = try #require(try former.part())
    #expect(part.plain?.frames == Int64(place))
    try former.write([Float](repeating: 0.3, count: more * channels))
    try withExtendedLifetime(former) {
      try target.write(try begun.read(part.file.file), as: part.file.file)
    }
    let copy = try JSONDecoder().decode(SoundFileWriter.Part.self, from: JSONEncoder().encode(part))
    var writer = try SoundFileWriter(continuing: copy, of: "a.wav", in: target, format: .wav24, channels: channels)
    #expect(writer.frameCount == Int64(place))
    let middle = (place + 30_001) / 2
    try writer.write(Array(samples[(place * channels)..<(middle * channels)]))
    // Once more, by a third process.
    let again = try #require(try writer.part())
    let third = try ScratchFolder()
    let end = try folder(third)
    try end.write(try target.read(again.file.file), as: again.file.file)
    writer = try SoundFileWriter(continuing: again, of: "a.wav", in: end, format: .wav24, channels: channels)
    try writer.write(Array(samples[(middle * channels)...]))
    let finished = try writer.finish()
    #expect(try end.names() == ["a.wav"])
    let bytes = try end.read("a.wav")
    let isSame = bytes == (try whole(samples, channels: channels))
    #expect(isSame)
    #expect(finished.size == Int64(bytes.count))
    #expect(try FileDigest(of: "a.wav", in: end) == finished.digest)
  }

  /// Beyond 4 GiB a file becomes RF64, whose header is shorter by itself. The middle is a hole, which takes no room.
  @Test(arguments: [715_000_000, 715_827_862, 716_000_000] as [Int64])
  func aFileOfFourGigabytesIsContinued(frames: Int64) throws {
    let samples = sound(frames: 20_000, channels: 2)
    let (first, second) = (try ScratchFolder(), try ScratchFolder())
    let (begun, target) = (try folder(first), try folder(second))
    let former = try SoundFileWriter("a.wav", in: begun, format: .wav24, channels: 2, tags: Self.tags)
    former.prepareForCheckpoints()
    try former.write(samples)
    var part = try #require(try former.part())
    let name = part.file.file
    var bytes = try withExtendedLifetime(former) { try begun.read(name) }
    let head = part.file.length - 20_000 * 6
    try target.write(bytes, as: name)
    part.plain?.frames = frames
    part.file.length = head + frames * 6
    let file = try target.open(name, flags: O_RDWR)
    #expect(ftruncate(file.raw, off_t(part.file.length)) == 0)
    bytes += [UInt8](repeating: 0, count: FileDigest.blockSize - bytes.count)
    let (blocks, rest) = part.file.length.quotientAndRemainder(dividingBy: Int64(FileDigest.blockSize))
    part.file.blocks = [[UInt8]](repeating: SHA256.hash(bytes), count: Int(blocks))
    part.file.rest = SHA256.hash([UInt8](repeating: 0, count: Int(rest)))

    let writer = try SoundFileWriter(continuing: part, of: "a.wav", in: target, format: .wav24, channels: 2)
    try writer.write(samples)
    let finished = try writer.finish()
    #expect(finished.size == head + (frames + 20_000) * 6)
    let reader = try SoundFileReader("a.wav", in: target)
    #expect(reader.frameCount == frames + 20_000)
    #expect(reader.tags.title == Self.tags.title)
    let end = try target.open("a.wav").read(at: finished.size - 120_000, count: 120_000, path: "a.wav")
    let isSame = end == Array(bytes[Int(head)..<Int(head) + 120_000])
    #expect(isSame)
  }

  @Test(arguments: [1, 2]) func aFileToWhichNothingIsAddedIsWhole(channels: Int) throws {
    let samples = sound(frames: 4_001, channels: channels)
    let (first, second) = (try ScratchFolder(), try ScratchFolder())
    let (begun, target) = (try folder(first), try folder(second))
    let former = try SoundFileWriter("a.wav", in: begun, format: .wav24, channels: channels, tags: Self.tags)
    former.prepareForCheckpoints()
    try former.write(samples)
    let part = try #require(try former.part())
    try withExtendedLifetime(former) {
      try target.write(try begun.read(part.file.file), as: part.file.file)
    }
    let writer = try SoundFileWriter(continuing: part, of: "a.wav", in: target, format: .wav24, channels: channels)
    let finished = try writer.finish()
    let isSame = try target.read("a.wav") == whole(samples, channels: channels)
    #expect(isSame)
    #expect(try FileDigest(of: "a.wav", in: target) == finished.digest)
  }
}
