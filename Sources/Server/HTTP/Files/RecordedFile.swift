// Arithmetic in this file is in range: it counts bytes of a buffer in memory.

import Glibc
import NIOPosix
import Recording

/// A finished file of a take, open for reading; it closes itself.
///
/// `TakeFolder` opens it, so no name and no planted link leads out of the data folder. Reads happen on NIO's threads for
/// blocking work.
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

  private let file: Descriptor
  /// In bytes, when it was opened.
  let size: Int64
  /// Time of the last change of its contents.
  let modified: HTTPDate
  /// Changes whenever the file is rendered again.
  let tag: EntityTag

  private init(_ file: Descriptor, status: FileStatus) {
    self.file = file
    size = status.size
    modified = HTTPDate(seconds: status.modified / 1_000_000_000)
    // The inode distinguishes two files of the same length written within one tick of the clock.
    let parts = [status.inode, UInt64(bitPattern: status.modified), UInt64(bitPattern: status.size)]
    tag = EntityTag(parts.map { String($0, radix: 16) }.joined(separator: "-"))
  }

  /// Opens `name` in the take's `folder`, a path relative to `root`.
  static func open(_ name: String, in folder: String, of root: String) async throws -> RecordedFile {
    try await NIOThreadPool.singleton.runIfActive { try descend(name, folder, root) }
  }

  private static func descend(_ name: String, _ folder: String, _ root: String) throws(Failure) -> RecordedFile {
    do throws(FileProblem) {
      let file = try TakeFolder(existing: folder, in: root).open(name)
      guard let status = FileStatus(of: file.raw) else {
        throw FileProblem(path: name, operation: .examine, code: errno)
      }
      return RecordedFile(file, status: status)
    } catch {
      // A name that is none (EINVAL) is the name of nothing.
      guard !error.isMissing, !error.isNotAFile, error.code != EINVAL else { throw .missing }
      throw .system(error.code)
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
        let result = pread(file.raw, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
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
