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

  @Test func aHoleIsAProblem() throws {
    let scratch = try ScratchFolder()
    let folder = try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
    let file = try OutputFile("a.dat", in: folder)
    file.position = 5
    #expect([1].withUnsafeBytes { file.write($0) } == false)
    #expect(throws: FileProblem.self) { try file.finish() }
  }
}
