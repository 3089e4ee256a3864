import Foundation
import Glibc

/// A small file system in memory, and a file that fills it.
final class SmallDisk: Sendable {
  let path: String

  /// True where this process may mount.
  static let isPossible = (try? SmallDisk(mebibytes: 1)) != nil

  init(mebibytes: Int) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "jamjar-disk-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard mount("jamjar", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
      throw CocoaError(.fileWriteNoPermission)
    }
  }

  deinit {
    // Detached at once, gone with the last open file.
    umount2(path, 2)
    rmdir(path)
  }

  /// Fills the disk up to `rest` bytes.
  func fill(leaving rest: Int = 0) throws {
    let descriptor = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let block = [UInt8](repeating: 1, count: 4_096)
    while try free() > rest, write(descriptor, block, block.count) > 0 {}
  }

  func makeRoom() {
    unlink(path + "/filler")
  }

  /// In bytes.
  func free() throws -> Int {
    let values = try FileManager.default.attributesOfFileSystem(forPath: path)
    return (values[.systemFreeSize] as? NSNumber)?.intValue ?? 0
  }
}
