import Foundation
import Testing

@testable import Recording

/// What a render is known by.
@Suite struct RenderStampTests {
  @Test func theStampNamesTheProgramAndItsLibraries() throws {
    let stamp = try #require(RenderStamp.current)
    let parts = stamp.split(separator: ", ")
    // The program, two versions, and at least libopus, libsndfile and the C library.
    #expect(parts.count >= 6, "\(stamp)")
    #expect(stamp.contains("libopus") && stamp.contains("libsndfile"))
  }

  @Test func mappedFilesAreListedOnce() {
    let maps = """
      7f00-7f10 r--p 00000000 fe:01 123                        /usr/lib/x86_64-linux-gnu/libopus.so.0
      7f10-7f20 r-xp 00010000 fe:01 123                        /usr/lib/x86_64-linux-gnu/libopus.so.0
      7f20-7f30 rw-p 00000000 00:00 0                          [heap]
      7f30-7f40 r-xp 00000000 fe:01 124                        /opt/a folder/libm.so.6
      7f40-7f50 rw-p 00000000 00:00 0
      """
    #expect(
      RenderStamp.mappedFiles(maps) == ["/opt/a folder/libm.so.6", "/usr/lib/x86_64-linux-gnu/libopus.so.0"])
  }

  /// Packages and images give all files of a build one time.
  @Test func aFileInThePlaceOfAnotherOfTheSameSizeAndTimeIsKnown() throws {
    let disk = try ScratchFolder()
    let path = "\(disk.path)/program"
    func write(_ text: String) throws {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: path)
    }
    try write("one")
    let first = try #require(RenderStamp.stamp(of: path))
    // The kernel's time has grains of some milliseconds.
    var isKnown = false
    for _ in 0..<10_000 where !isKnown {
      try write("two")
      isKnown = RenderStamp.stamp(of: path) != first
    }
    #expect(isKnown)
    #expect(RenderStamp.stamp(of: "\(disk.path)/nothing") == nil)
  }
}
