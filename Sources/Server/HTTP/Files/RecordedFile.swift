// Arithmetic in this file is in range: it counts bytes of a buffer in memory.

import Glibc
import NIOPosix
import Recording

/// A finished file of a take, open for reading; it closes itself.
///
/// Each folder from the data folder on is opened relative to the previous one and never through a link, so no name and
/// no planted link leads out of the data folder. Reads happen on NIO's threads for blocking work.
final class RecordedFile: Sendable {
  /// The reasons for not serving a file.
  enum Failure: Error, Hashable, Sendable {
    /// No file, or something else in its place.
    case missing
    /// The system's error number.
    case system(Int32)
    /// The file became shorter during the transfer.
    case truncated
  }

  private let descriptor: Int32
  /// In bytes, when it was opened.
  let size: Int64
  /// Time of the last change of its contents.
  let modified: HTTPDate
  /// Changes whenever the file is rendered again.
  let tag: EntityTag

  private init(owning descriptor: Int32, status: FileStatus) {
    self.descriptor = descriptor
    size = status.size
    modified = HTTPDate(seconds: status.modified / 1_000_000_000)
    // The inode distinguishes two files of the same length written within one tick of the clock.
    let parts = [status.inode, UInt64(bitPattern: status.modified), UInt64(bitPattern: status.size)]
    tag = EntityTag(parts.map { String($0, radix: 16) }.joined(separator: "-"))
  }

  deinit {
    close(descriptor)
  }

  /// Opens `name` in the take's `folder`, a path relative to `root`.
  static func open(_ name: String, in folder: String, of root: String) async throws -> RecordedFile {
    try await NIOThreadPool.singleton.runIfActive { try descend(name, folder, root) }
  }

  private static func descend(_ name: String, _ folder: String, _ root: String) throws(Failure) -> RecordedFile {
    let steps = folder.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard (steps + [name]).allSatisfy(isPlain) else { throw .missing }
    var current = try opened { Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    for step in steps {
      let above = current
      defer { close(above) }
      current = try opened { openat(above, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }
    defer { close(current) }
    // Without O_NONBLOCK, opening a planted FIFO would hang.
    let file = try opened { openat(current, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard let status = FileStatus(of: file), status.isRegular else {
      close(file)
      throw .missing
    }
    return RecordedFile(owning: file, status: status)
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0) && !name.utf8.contains(UInt8(ascii: "/"))
  }

  private static func opened(_ body: () -> Int32) throws(Failure) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      switch errno {
      case EINTR: continue
      case ENOENT, ENOTDIR, ELOOP: throw .missing
      default: throw .system(errno)
      }
    }
  }

  /// Exactly `count` bytes from `offset`.
  /// - Throws: `Failure.truncated` if the file has fewer by now.
  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await NIOThreadPool.singleton.runIfActive { [self] in try readNow(at: offset, count: count) }
  }

  private func readNow(at offset: Int64, count: Int) throws(Failure) -> [UInt8] {
    var failure: Failure?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
      while filled < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
        let result = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        if result > 0 {
          filled += result
        } else if result == 0 {
          failure = .truncated
          return
        } else if errno != EINTR {
          failure = .system(errno)
          return
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
