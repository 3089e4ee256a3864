import Testing

@testable import Recording

struct OutputFileTests {
  /// The fingerprint computed the slow way, from the whole file.
  private func digest(of bytes: [UInt8]) -> String {
    var hashes: [UInt8] = []
    var start = 0
    repeat {
      let end = min(bytes.count, start + FileDigest.blockSize)
      hashes += SHA256.hash(Array(bytes[start..<end]))
      start = end
    } while start < bytes.count
    return SHA256.hash(hashes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func hashesTheEmptyTextAsTheStandardSays() {
    let hash = SHA256.hash([]).map { String($0, radix: 16) }.joined()
    #expect(hash.hasPrefix("e3b0c44298fc1c14"))
  }

  @Test(arguments: [0, 1, 1_000, FileDigest.blockSize - 1, FileDigest.blockSize, FileDigest.blockSize * 2 + 77])
  func theFingerprintHoldsForEveryLengthAndAPatchedHead(length: Int) throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try OutputFile("a.dat", in: folder)
    var bytes = [UInt8](repeating: 0, count: length)
    for index in stride(from: 0, to: length, by: 4_099) { bytes[index] = UInt8(truncatingIfNeeded: index / 4_099) }
    for start in stride(from: 0, to: length, by: 1_000_003) {
      let piece = Array(bytes[start..<min(length, start + 1_000_003)])
      #expect(piece.withUnsafeBytes { file.write($0) })
    }
    // The head, and a stretch over a block's edge, are written again.
    for place in [0, FileDigest.blockSize - 4] where place + 8 <= length {
      file.position = Int64(place)
      let patch = [UInt8](repeating: 0xAB, count: 8)
      #expect(patch.withUnsafeBytes { file.write($0) })
      bytes.replaceSubrange(place..<place + 8, with: patch)
    }
    let (size, result) = try file.finish()
    #expect(size == Int64(length))
    #expect(result.value == digest(of: bytes))
    #expect(try folder.read("a.dat") == bytes)
  }

  /// What is patched is hashed once it is needed: by a checkpoint, by what is appended, and at the end.
  @Test(arguments: [1_000, FileDigest.blockSize - 1, FileDigest.blockSize, FileDigest.blockSize + 1_000])
  func aHeadThatIsPatchedOnTheWayIsInTheFingerprint(length: Int) throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try OutputFile("a.dat", in: folder)
    var bytes: [UInt8] = []
    for value in 1...4 as ClosedRange<UInt8> {
      let piece = [UInt8](repeating: value, count: length)
      try file.put(piece)
      bytes += piece
      for place in [0, bytes.count - 8] {
        try file.put([0xA0 + value, 0xB0, 0xC0], at: Int64(place))
        bytes.replaceSubrange(place..<place + 3, with: [0xA0 + value, 0xB0, 0xC0])
      }
      guard let part = try file.synchronized() else { continue }
      let rest = Array(bytes[(part.blocks.count * FileDigest.blockSize)...])
      #expect(part.length == Int64(bytes.count) && part.rest == SHA256.hash(rest))
    }
    let result = try file.finish().digest
    #expect(result.value == digest(of: bytes))
    #expect(try FileDigest(of: "a.dat", in: folder) == result)
  }

  /// Bytes that change every 4,099: of a prime number, so that no block begins as another does.
  private func steps(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let value = UInt8(truncatingIfNeeded: bytes.count / 4_099)
      bytes += [UInt8](repeating: value, count: min(4_099, count - bytes.count))
    }
    return bytes
  }

  private func write(_ bytes: ArraySlice<UInt8>, to file: OutputFile) {
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 1_000_003) {
      #expect(bytes[start..<min(bytes.endIndex, start + 1_000_003)].withUnsafeBytes { file.write($0) })
    }
  }

  @Test(arguments: [0, 1, FileDigest.blockSize - 1, FileDigest.blockSize, FileDigest.blockSize * 2 + 77])
  func anotherOutputFileContinues(length: Int) throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let bytes = steps(length + 300_000)
    let first = try OutputFile("a.dat", in: folder)
    write(bytes[..<length], to: first)
    let part = try #require(try first.synchronized())
    #expect(part.length == Int64(length) && part.blocks.count == length / FileDigest.blockSize)
    // What the first writes afterwards is not in its description, and is cut off.
    write([UInt8](repeating: 7, count: 5_000)[...], to: first)

    let second = try OutputFile(continuing: part, of: "a.dat", in: folder)
    #expect(second.length == Int64(length) && second.position == Int64(length))
    write(bytes[length...], to: second)
    let (size, result) = try second.finish()
    #expect(size == Int64(bytes.count))
    #expect(result.value == digest(of: bytes))
    let isSame = try folder.read("a.dat") == bytes
    #expect(isSame)
  }

  @Test func anotherFileIsNotContinued() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let bytes = steps(FileDigest.blockSize + 1_000)
    let file = try OutputFile("a.dat", in: folder)
    write(bytes[...], to: file)
    var part = try #require(try file.synchronized())
    let own = part
    part.file = "b.dat.part"
    #expect(throws: FileProblem.self) { try OutputFile(continuing: part, of: "b.dat", in: folder) }
    part.file = "../\(folder.path)/\(own.file)"
    #expect(throws: FileProblem.self) { try OutputFile(continuing: part, of: "b.dat", in: folder) }
    part.file = "b.dat.part"
    for place in [0, 5_000, FileDigest.blockSize, bytes.count - 1] {
      var other = bytes
      other[place] ^= 1
      try folder.write(other, as: "b.dat.part")
      #expect(throws: FileProblem.self, "byte \(place)") {
        try OutputFile(continuing: part, of: "b.dat", in: folder)
      }
      #expect(try folder.size(of: "b.dat.part") == Int64(bytes.count))
    }
    try folder.write(Array(bytes.dropLast()), as: "b.dat.part")
    #expect(throws: FileProblem.self) { try OutputFile(continuing: part, of: "b.dat", in: folder) }
    // A description that contradicts itself.
    for wrong in [-1, 0, 1_000, Int64(FileDigest.blockSize) * 3] {
      var impossible = own
      impossible.length = wrong
      #expect(throws: FileProblem.self) { try OutputFile(continuing: impossible, of: "a.dat", in: folder) }
    }
  }

  @Test func aFilePatchedInAWholeBlockHasNoDescription() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try OutputFile("a.dat", in: folder)
    write([UInt8](repeating: 1, count: FileDigest.blockSize)[...], to: file)
    #expect(try file.synchronized() != nil)
    file.position = 0
    write([4], to: file)
    #expect(try file.synchronized() == nil)
  }

  /// Libraries correct their first header before the first sample.
  @Test func aPatchOfTheBlockBegunIsDescribed() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try OutputFile("a.dat", in: folder)
    write([1, 2, 3], to: file)
    file.position = 1
    write([4, 5, 6, 7], to: file)
    let part = try #require(try file.synchronized())
    #expect(part.length == 5 && part.rest == SHA256.hash([1, 4, 5, 6, 7]))
    let next = try OutputFile(continuing: part, of: "a.dat", in: folder)
    write([8], to: next)
    let digest = try next.finish().digest
    #expect(try folder.read("a.dat") == [1, 4, 5, 6, 7, 8])
    #expect(try FileDigest(of: "a.dat", in: folder) == digest)
    withExtendedLifetime(file) {}
  }

  @Test func aHoleIsAProblem() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try OutputFile("a.dat", in: folder)
    file.position = 5
    #expect([1].withUnsafeBytes { file.write($0) } == false)
    #expect(throws: FileProblem.self) { try file.finish() }
  }
}
