import CSndFile
import Glibc
import TestSupport
import Testing

@testable import Recording

struct SoundFileTests {
  private func folder(_ scratch: ScratchFolder) throws -> TakeFolder {
    try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
  }

  /// Interleaved samples of a slow chord, different on every channel.
  private func sound(frames: Int, channels: Int) -> [Float] {
    (0..<frames * channels).map { index in
      0.7 * sin(Float(index / channels) * 0.031 * Float(index % channels + 1))
    }
  }

  private static let cases: [(SoundFileFormat, Int)] = SoundFileFormat.allCases.flatMap { [($0, 1), ($0, 2)] }

  @Test(arguments: cases) func whatIsWrittenIsRead(format: SoundFileFormat, channels: Int) throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let samples = sound(frames: 48_000, channels: channels)
    let name = "take." + format.ending
    let writer = try SoundFileWriter(name, in: folder, format: format, channels: channels)
    // In the pieces that a render writes.
    for start in stride(from: 0, to: samples.count, by: 960 * channels) {
      try writer.write(Array(samples[start..<min(samples.count, start + 960 * channels)]))
    }
    #expect(try folder.has(folder.unfinished(name)) && !folder.has(name))
    let finished = try writer.finish()
    #expect(try folder.names() == [name])
    #expect(try folder.size(of: name) == finished.size)

    let reader = try SoundFileReader(name, in: folder)
    #expect(reader.channels == channels)
    #expect(reader.rate == 48_000)
    #expect(reader.frameCount == 48_000)
    let read = try reader.read(frames: 50_000)
    #expect(read.count == samples.count)
    let step = 1 / Float(1 << (format.bits - 1))
    let worst = zip(read, samples).map { abs($0 - $1) }.max() ?? 1
    #expect(worst <= step)
    try reader.seek(to: 47_000)
    #expect(try reader.read(frames: 5_000) == Array(read.suffix(1_000 * channels)))
    #expect(throws: FileProblem.self) { try reader.seek(to: 100_000) }
  }

  /// Noise in which version 1.4.2 of libFLAC finds what it takes for a frame's header, so that it cannot seek near it. Music has
  /// the like once in some 16 MB.
  @Test func everyPlaceOfAFileIsFound() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    var state: UInt64 = 3_295
    func random() -> Int32 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int32(truncatingIfNeeded: state >> 33)
    }
    var (kind, left) = (1 as Int32, 4_096 as Int32)
    let samples = (0..<96_000).map { _ -> Int32 in
      left -= 1
      if left <= 0 { (kind, left) = (random() % 3, 2_000 + random() % 30_000) }
      return kind == 0 ? 0 : (random() << 1) >> (kind == 1 ? 3 : 20) & ~0xFF
    }
    var shape = SF_INFO()
    (shape.samplerate, shape.channels) = (48_000, 1)
    shape.format = Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
    let path = "\(scratch.path)/\(folder.path)/noise.flac"
    let handle = try #require(sf_open(path, Int32(SFM_WRITE), &shape))
    #expect(sf_writef_int(handle, samples, 96_000) == 96_000)
    sf_close(handle)
    for frame in stride(from: 0, to: 96_000, by: 1_024) {
      let reader = try SoundFileReader("noise.flac", in: folder)
      try reader.seek(to: Int64(frame))
      #expect(try reader.readIntegers(frames: 100) == Array(samples[frame..<min(96_000, frame + 100)]), "\(frame)")
      // It goes on to find every other place.
      try reader.seek(to: 1_000)
      #expect(try reader.readIntegers(frames: 100) == Array(samples[1_000..<1_100]), "\(frame)")
    }
  }

  @Test func oversAreClippedAndNothingElseIsMadeOfNonsense() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let writer = try SoundFileWriter("a.flac", in: folder, channels: 1)
    try writer.write([2, -2, 1, -1, .infinity, -.infinity, .nan, 0.25])
    _ = try writer.finish()
    let read = try SoundFileReader("a.flac", in: folder).read(frames: 8)
    let expected: [Float] = [1, -1, 1, -1, 1, -1, 0, 0.25]
    #expect(zip(read, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(read.count == 8)
  }

  @Test(arguments: SoundFileFormat.allCases) func saysWhatItHolds(format: SoundFileFormat) throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let tags = SoundFileTags(
      title: "Naïma", artist: "Zoë 🎷", album: "Studio", trackNumber: 3, comment: "take 3\0hidden", date: "2026-11-21",
      software: "jamjar 1.0.0")
    let writer = try SoundFileWriter("a." + format.ending, in: folder, format: format, channels: 2, tags: tags)
    try writer.write([0, 0])
    _ = try writer.finish()
    let read = try SoundFileReader("a." + format.ending, in: folder).tags
    #expect(read.title == "Naïma")
    #expect(read.artist == "Zoë 🎷")
    #expect(read.comment == "take 3hidden")
    #expect(read.trackNumber == 3)
    #expect(read.software.hasPrefix("jamjar 1.0.0"))
  }

  /// As encoders write them that write to a pipe: libsndfile says 2^63 - 1 frames then.
  @Test func aFLACFileThatDoesNotSayItsLengthIsRefused() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let writer = try SoundFileWriter("a.flac", in: folder, channels: 1)
    try writer.write(sound(frames: 4_800, channels: 1))
    _ = try writer.finish()
    var bytes = try folder.read("a.flac")
    // STREAMINFO is the first block: 8 bytes before it, and its 36 bits of the length end behind its 18th byte.
    #expect(Array(bytes[..<5]) == Array("fLaC".utf8) + [0])
    bytes[21] &= 0xF0
    for index in 22..<26 { bytes[index] = 0 }
    try folder.write(bytes, as: "b.flac")
    let problem = #expect(throws: FileProblem.self) { try SoundFileReader("b.flac", in: folder) }
    #expect(problem?.detail?.contains("has to say how long it is") == true, "\(problem?.description ?? "")")
  }

  @Test func aFileWithoutSoundCanBeOpenedAllTheSame() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    for format in SoundFileFormat.allCases {
      let name = "empty-\(format.bits)." + format.ending
      let finished = try SoundFileWriter(name, in: folder, format: format, channels: 2).finish()
      #expect(finished.size > 0)
      #expect(try SoundFileReader(name, in: folder).read(frames: 9) == [0, 0])
    }
  }

  @Test func aShortWaveFileIsPlainWaveAndNoRF64() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let writer = try SoundFileWriter("a.wav", in: folder, format: .wav24, channels: 2)
    try writer.write([0.5, -0.5])
    _ = try writer.finish()
    let bytes = try folder.read("a.wav")
    #expect(Array(bytes[0..<4]) == Array("RIFF".utf8) && Array(bytes[8..<12]) == Array("WAVE".utf8))
  }

  @Test func equalSoundGivesEqualBytes() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let samples = sound(frames: 20_000, channels: 2)
    var digests: Set<String> = []
    // However it is cut into pieces.
    for (name, piece) in [("a.flac", 1_000), ("b.flac", 960 * 2), ("c.flac", samples.count)] {
      let writer = try SoundFileWriter(name, in: folder, channels: 2)
      for start in stride(from: 0, to: samples.count, by: piece) {
        try writer.write(Array(samples[start..<min(samples.count, start + piece)]))
      }
      digests.insert(try writer.finish().digest.value)
    }
    #expect(digests.count == 1)
  }

  @Test func anUnfinishedFileGoesAwayWithItsWriter() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    var writer: SoundFileWriter? = try SoundFileWriter("a.flac", in: folder, channels: 1)
    try writer?.write([0, 0])
    #expect(try folder.names() == [folder.unfinished("a.flac")])
    writer = nil
    #expect(try folder.names().isEmpty)
  }

  @Test func wrongUseIsAnErrorAndNoTrap() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    #expect(throws: FileProblem.self) { try SoundFileWriter("a.flac", in: folder, channels: 0) }
    #expect(throws: FileProblem.self) { try SoundFileWriter("a.flac", in: folder, channels: 9_999) }
    #expect(try folder.names().isEmpty)
    let writer = try SoundFileWriter("a.flac", in: folder, channels: 2)
    #expect(throws: FileProblem.self) { try writer.write([0, 0, 0]) }
    _ = try writer.finish()
    #expect(throws: FileProblem.self) { try writer.write([0, 0]) }
    #expect(throws: FileProblem.self) { try writer.finish() }
    try folder.write(Array("no sound".utf8), as: "b.flac")
    #expect(throws: FileProblem.self) { try SoundFileReader("b.flac", in: folder) }
  }

  /// libsndfile closes what it refuses; another file may have the number when its owner closes it again.
  @Test func aRefusedFileIsStillItsOwners() throws {
    let file = try Descriptor(copying: Array("this is no sound".utf8), path: "words")
    var shape = SF_INFO()
    #expect(SoundFileCalls.open(file, mode: Int32(SFM_READ), &shape) == nil)
    #expect(try file.length(path: "words") == 16)
  }
}
