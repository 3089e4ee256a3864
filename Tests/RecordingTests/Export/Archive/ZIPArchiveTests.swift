import Foundation
import Music
import TestSupport
import Testing

@testable import Recording

struct ZIPArchiveTests {
  private static let modified = WallTime(milliseconds: 1_795_230_600_500)

  private func folder(_ scratch: ScratchFolder) throws -> TakeFolder {
    try TakeFolder.create(for: try JournalSamples.take(), in: scratch.path)
  }

  private func path(_ name: String, _ folder: TakeFolder, _ scratch: ScratchFolder) -> String {
    "\(scratch.path)/\(folder.path)/\(name)"
  }

  private func members(_ folder: TakeFolder) throws -> [ZIPArchive.Member] {
    var random = SeededRandom(7)
    let bytes = (0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    try folder.write(bytes, as: "noise.bin")
    try folder.write([], as: "empty")
    return [
      ZIPArchive.Member(name: "Zoë 🎷/cues.txt", source: .bytes(Array("é\n".utf8)), modified: Self.modified),
      ZIPArchive.Member(name: "Zoë 🎷/empty", source: .file("empty", in: folder), modified: Self.modified),
      ZIPArchive.Member(name: "Zoë 🎷/noise.bin", source: .file("noise.bin", in: folder), modified: Self.modified),
    ]
  }

  @Test func othersReadWhatIsWritten() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let archive = try ZIPArchive(try members(folder))
    let file = try archive.write("take.zip", in: folder)
    #expect(file.size == archive.size)
    let entries: [OutsideReader.ZIPEntry] = try OutsideReader.python(
      OutsideReader.zip, path("take.zip", folder, scratch))
    #expect(entries.map(\.name) == ["Zoë 🎷/cues.txt", "Zoë 🎷/empty", "Zoë 🎷/noise.bin"])
    #expect(entries.map(\.size) == [3, 0, 300_000])
    #expect(entries[0].text == "é\n")
    // 1 795 230 600 s is 2026-11-21 03:10:00 UTC.
    #expect(entries.allSatisfy { $0.time == [2026, 11, 21, 3, 10, 0] })
    let words = String(
      decoding: try OutsideReader.run("unzip", ["-t", path("take.zip", folder, scratch)]), as: UTF8.self)
    #expect(words.contains("No errors detected"))
  }

  @Test func anyRangeIsThatPartOfTheWhole() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let archive = try ZIPArchive(try members(folder))
    let whole = try archive.read(at: 0, count: .max)
    #expect(whole.count == Int(archive.size))
    var random = SeededRandom(3)
    for _ in 0..<200 {
      let start = Int.random(in: 0..<whole.count, using: &random)
      let end = min(whole.count, start + Int.random(in: 0..<0x4000, using: &random))
      #expect(try archive.read(at: Int64(start), count: end - start) == Array(whole[start..<end]))
    }
    for start in [0, 29, 30, whole.count - 22, whole.count - 1] {
      #expect(try archive.read(at: Int64(start), count: 1) == [whole[start]])
    }
    #expect(try archive.read(at: archive.size, count: 10).isEmpty)
    #expect(try archive.read(at: -1, count: 10).isEmpty)
  }

  @Test func beyond4GiBItIsZIP64() throws {
    let scratch = try ScratchFolder()
    let long: Int64 = 5 << 30
    let layout = try ZIPLayout([
      ZIPLayout.Entry(name: "a/long.wav", size: long, modified: Self.modified),
      ZIPLayout.Entry(name: "a/short.txt", size: 5, modified: Self.modified),
      ZIPLayout.Entry(name: "a/exactly.wav", size: ZIPLayout.limit32, modified: Self.modified),
      ZIPLayout.Entry(name: "a/last.txt", size: 5, modified: Self.modified),
    ])
    #expect(layout.size > long + ZIPLayout.limit32)
    let text = Array("hello".utf8)
    let sum = FileChecksums.sum(of: text)
    #expect(sum == 0x3610_A686)
    // The sound is a hole in the file: 9 GiB that cost nothing.
    let path = scratch.path + "/long.zip"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(layout.size))
    for piece in layout.pieces(of: 0..<layout.size) {
      switch piece {
      case .header(let entry, let range):
        try file.seek(toOffset: UInt64(layout.offsets[entry]))
        let bytes = layout.header(of: entry, checksum: sum)
        #expect(range == 0..<bytes.count)
        try file.write(contentsOf: bytes)
        if layout.entries[entry].size == 5 { try file.write(contentsOf: text) }
      case .contents: break
      case .directory(let range):
        let bytes = layout.directory(checksums: [sum, sum, sum, sum])
        #expect(range == 0..<Int64(bytes.count))
        try file.seek(toOffset: UInt64(layout.directoryOffset))
        try file.write(contentsOf: bytes)
      }
    }
    try file.close()
    let entries: [OutsideReader.ZIPEntry] = try OutsideReader.python(OutsideReader.zip, path)
    #expect(entries.map(\.size) == [long, 5, ZIPLayout.limit32, 5])
    #expect(entries.map(\.offset) == layout.offsets)
    #expect(entries[1].text == "hello" && entries[3].text == "hello")
  }

  @Test func from65535FilesOnTheirCountIsZIP64() throws {
    // 65535 in a field of 16 bits says "look there", so it is no count any more.
    #expect(ZIPLayout.endLength(65_534, 0, 0) == 22)
    #expect(ZIPLayout.endLength(65_535, 0, 0) == 56 + 20 + 22)
    // Only where all lies: the contents of so many files would cost seconds.
    let layout = try ZIPLayout(
      (0..<66_000).map { ZIPLayout.Entry(name: "\($0)", size: 0, modified: Self.modified) })
    let end = layout.directory(checksums: [])
    #expect(layout.size == layout.directoryOffset + layout.directorySize + Int64(end.count))
    // The ZIP64 end, its locator, and the old end with counts that are none (APPNOTE 4.3.14 to 4.3.16).
    #expect(end.count == 56 + 20 + 22)
    #expect(Array(end[..<4]) == [0x50, 0x4B, 6, 6] && Array(end[56..<60]) == [0x50, 0x4B, 6, 7])
    // 66000 is 0x101D0.
    let count: [UInt8] = [0xD0, 0x01, 0x01, 0, 0, 0, 0, 0]
    #expect(Array(end[24..<32]) == count && Array(end[32..<40]) == count)
    #expect(Array(end[76..<80]) == [0x50, 0x4B, 5, 6] && Array(end[84..<88]) == [255, 255, 255, 255])
  }

  @Test(arguments: [
    "", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "a\\b", "C:a", "a\u{0}b", "a\nb",
    String(repeating: "x", count: 300),
  ])
  func namesThatLeadElsewhereAreRefused(name: String) {
    #expect(throws: ZIPProblem.unsafeName(name)) {
      try ZIPLayout([ZIPLayout.Entry(name: name, size: 1, modified: Self.modified)])
    }
  }

  @Test func oneNameTwiceAndImpossibleSizesAreRefused() {
    let entry = ZIPLayout.Entry(name: "a", size: 1, modified: Self.modified)
    #expect(throws: ZIPProblem.nameTwice("a")) { try ZIPLayout([entry, entry]) }
    for size in [-1, Int64.max] {
      #expect(throws: ZIPProblem.impossibleSize(name: "b", size: size)) {
        try ZIPLayout([entry, ZIPLayout.Entry(name: "b", size: size, modified: Self.modified)])
      }
    }
  }

  @Test func timesBeforeAndAfterDOSAreItsFirstAndLast() {
    #expect(ZIPTime(WallTime(milliseconds: 0)).date == 1 << 5 | 1)
    #expect(ZIPTime(WallTime(milliseconds: 0)).unix == 0)
    let late = ZIPTime(WallTime(nanoseconds: .max))
    #expect(late.unix == nil)
    #expect(late.date == 127 << 9 | 12 << 5 | 31)
    #expect(late.time == 23 << 11 | 59 << 5 | 29)
  }

  @Test func theTagChangesWithAFileAndOnlyThen() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let members = try members(folder)
    let first = try ZIPArchive(members)
    #expect(try ZIPArchive(members).entityTag == first.entityTag)
    try folder.write([1, 2, 3], as: "empty")
    let second = try ZIPArchive(members)
    #expect(second.entityTag != first.entityTag)
    // The first one still reads what it opened.
    #expect(try first.read(at: 0, count: .max).count == Int(first.size))
  }

  @Test func aDownloadHasOneFileOpenAtMost() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let members = try members(folder)
    func openFiles() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return target?.hasPrefix("\(scratch.path)/\(folder.path)/") == true
      }
    }
    let archive = try ZIPArchive(members, keepsOpen: false)
    #expect(try openFiles() == 0)
    var bytes: [UInt8] = []
    while bytes.count < archive.size {
      bytes += try archive.read(at: Int64(bytes.count), count: 40_000)
      #expect(try openFiles() <= 1)
    }
    #expect(bytes == (try ZIPArchive(members).read(at: 0, count: .max)))
    // Bytes of another file would not fit to those that have been sent.
    try folder.write([1, 2, 3], as: "noise.bin")
    let other = try ZIPArchive(members, keepsOpen: false)
    try folder.write([3, 2, 1, 0], as: "noise.bin")
    #expect(throws: FileProblem.self) { try other.read(at: 0, count: .max) }
  }

  @Test func whatGoesWrongLeavesNoFileAndSaysWhichOne() throws {
    let scratch = try ScratchFolder()
    let folder = try folder(scratch)
    let members = try members(folder)
    let missing = ZIPArchive.Member(name: "a", source: .file("a.flac", in: folder), modified: Self.modified)
    #expect { try ZIPArchive([missing]) } throws: { error in
      (error as? FileProblem)?.isMissing == true && (error as? FileProblem)?.path.hasSuffix("a.flac") == true
    }
    #expect(throws: CancellationError.self) {
      try ZIPArchive(members).write("take.zip", in: folder) { _ in throw CancellationError() }
    }
    let archive = try ZIPArchive(members)
    let file = try #require(FileHandle(forWritingAtPath: path("noise.bin", folder, scratch)))
    try file.truncate(atOffset: 100)
    #expect(throws: FileProblem.self) { try archive.write("take.zip", in: folder) }
    #expect(try folder.names() == ["empty", "noise.bin"])
  }
}
