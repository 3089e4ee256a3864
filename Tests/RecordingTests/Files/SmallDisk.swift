import Glibc

/// A file system of 1 MiB in memory, mounted for one test.
final class SmallDisk {
  private let folder: ScratchFolder
  var path: String { folder.path }

  /// True where this process may mount.
  static let isPossible = (try? SmallDisk()) != nil

  init() throws {
    folder = try ScratchFolder()
    guard mount("jamjar", folder.path, "tmpfs", 0, "size=1m") == 0 else { throw ScratchFolder.Failure(code: errno) }
  }

  deinit {
    // Detached at once, gone with the last open file.
    umount2(folder.path, 2)
  }
}
