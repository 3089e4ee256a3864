import Foundation
import TestSupport
import Testing

@testable import Recording

/// Archives and recordings that were made to do harm: short ones that become endless.
@Suite struct HostileArchiveTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    _ = try TakeFolder.obtain("in", in: scratch.path)
  }

  /// An archive by Python's `zipfile`; `program` puts into `z`, and has `manifest(names)`.
  private func archive(_ program: String) throws -> String {
    let path = "\(scratch.path)/in/a.zip"
    let head = """
      import copy, json, sys, zipfile
      def manifest(names):
          files = [{"filename": n, "startTimeOffset": 0} for n in names]
          z.writestr("m.json", json.dumps({"createdAt": 1795262400000, "files": files}))
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:

      """
    _ = try OutsideReader.run("python3", ["-c", head + "    " + program, path])
    return path
  }

  private func problem(_ path: String) -> String {
    do {
      _ = try ImportPlanner().plans(for: [path])
      return "none"
    } catch {
      return error is ImportProblem ? "\(error)" : "another: \(error)"
    }
  }

  @Test func aBombIsNotUnpacked() throws {
    let path = try archive(#"z.writestr("s.webm", bytes(1 << 25)); manifest(["s.webm"])"#)
    let reader = try ZIPReader("a.zip", in: TakeFolder(dataFolder: "\(scratch.path)/in"))
    let bomb = try #require(reader.entries.first { $0.name == "s.webm" })
    #expect(throws: ImportProblem.self) { try reader.bytes(of: bomb) }
    #expect(problem(path).contains("100 times"))
  }

  @Test func entriesDoNotShareTheirBytes() throws {
    let path = try archive(
      #"z.writestr("s.webm", b"abc"); i = copy.copy(z.filelist[0]); i.filename = "t.webm"; z.filelist.append(i); manifest([])"#
    )
    #expect(problem(path).contains("no ZIP archive"))
  }

  @Test func aStreamIsReadOnce() throws {
    let path = try archive(#"z.writestr("s.webm", b"abc"); manifest(["s.webm", "x/s.webm"])"#)
    #expect(problem(path).contains("twice"))
  }

  @Test func thereAreNotEndlesslyManyStreams() throws {
    let path = try archive(#"manifest(["%d.webm" % n for n in range(501)])"#)
    #expect(problem(path).contains("501 streams"))
  }

  /// A stream of Opus, stored or deflated, and its manifest; then one byte of an entry is another.
  @Test(arguments: [("s.webm", 0), ("s.webm", 8), ("m.json", 0)])
  func aFlippedByteIsFoundByItsChecksum(entry: String, method: Int) throws {
    let sound = "\(scratch.path)/in/s.webm"
    _ = try OutsideReader.run(
      "ffmpeg", ["-v", "error", "-y", "-f", "lavfi", "-i", "sine=duration=1", "-c:a", "libopus", sound])
    let path = try archive(
      "z.write(sys.argv[1][:-5] + \"s.webm\", \"s.webm\", \(method)); z.compression = 0; manifest([\"s.webm\"])")
    #expect(problem(path) == "none")
    let flip = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as z: i = z.getinfo(sys.argv[2])
      data = bytearray(open(sys.argv[1], "rb").read())
      start = i.header_offset + 30 + len(i.filename) + len(i.extra)
      data[start + i.compress_size - (3 if i.filename == "m.json" else i.compress_size // 4)] ^= 1
      open(sys.argv[1], "wb").write(data)
      """
    _ = try OutsideReader.run("python3", ["-c", flip, path, entry])
    #expect(problem(path).contains("the archive is damaged"))
  }

  /// Millions of them come in a file of some megabytes.
  @Test func aPacketTakesLittleMemory() {
    #expect(MemoryLayout<EncodedSound.Packet>.stride <= 32)
  }

  /// Two bytes each in the file, many more in memory.
  @Test func aFileOfNothingButTracksIsRefused() {
    var bytes: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x80]
    for _ in 0..<200 { bytes += [0xAE, 0x80] }
    #expect {
      _ = try WebMSound(SequentialBytes(bytes), name: "a.webm")
    } throws: { "\($0)".contains("128 tracks") }
  }
}
