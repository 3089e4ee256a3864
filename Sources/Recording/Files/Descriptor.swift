import CLinux
import Glibc

/// An open file or folder, closed when released.
package final class Descriptor: Sendable {
  package let raw: Int32

  /// Takes ownership of the descriptor `raw`.
  init(owning raw: Int32) {
    self.raw = raw
  }

  deinit {
    close(raw)
  }

  /// Opens `name` inside `folder`; it follows no symbolic link, waits for no other end of a planted FIFO, and child
  /// processes do not inherit it.
  ///
  /// - Parameters:
  ///   - path: name of the file in error messages.
  ///   - mode: of a file that is created.
  static func open(
    _ name: String, in folder: Descriptor, flags: Int32, path: String, operation: FileProblem.Operation = .open,
    mode: mode_t = fileMode
  ) throws(FileProblem) -> Descriptor {
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: path, operation: operation, code: EINVAL, detail: "\"\(name)\" is not a file name")
    }
    return try retrying(path, operation) {
      openat(folder.raw, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
    }.map(Descriptor.init(owning:))
  }

  /// Files are readable by the group (for backups) but not by others.
  static let fileMode: mode_t = 0o640
  /// Files with secrets are for the service's user alone.
  static let privateMode: mode_t = 0o600
  /// Folders likewise.
  static let folderMode: mode_t = 0o750

  /// Opens the folder at an absolute or relative `path`; symbolic links on the way are the administrator's choice.
  static func root(_ path: String) throws(FileProblem) -> Descriptor {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw FileProblem(path: path, operation: .open, code: EINVAL, detail: "the data folder has no name")
    }
    return try retrying(path, .open) {
      Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }.map(Descriptor.init(owning:))
  }

  /// Flushes file contents and metadata to the disk.
  func synchronize(path: String) throws(FileProblem) {
    _ = try Descriptor.retrying(path, .sync) { fsync(raw) }
  }

  /// The length of the file in bytes.
  func length(path: String) throws(FileProblem) -> Int64 {
    guard let status = FileStatus(of: raw) else { throw FileProblem(path: path, operation: .examine, code: errno) }
    return status.size
  }

  /// A file in memory.
  /// - Parameter path: its name in error messages.
  convenience init(copying bytes: [UInt8], path: String) throws(FileProblem) {
    self.init(owning: try Descriptor.retrying(path, .create) { jamjar_memory_file(path) }.value)
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) { try write(bytes, at: 0, path: path) } catch { problem = error }
    }
    if let problem { throw problem }
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, path: String) throws(FileProblem) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw FileProblem(path: path, operation: .write, code: count == 0 ? EIO : errno)
      }
    }
  }

  /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
  func read(at offset: Int64, count: Int, path: String) throws(FileProblem) -> [UInt8] {
    var problem: FileProblem?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
      do throws(FileProblem) {
        filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset, path: path)
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
    return bytes
  }

  /// Fills `buffer` with the bytes from `offset` on, and returns their number: fewer at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, path: String) throws(FileProblem) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let result = pread(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
      if result > 0 {
        filled += result
      } else if result == 0 {
        break
      } else if errno != EINTR {
        throw FileProblem(path: path, operation: .read, code: errno)
      }
    }
    return filled
  }

  /// Repeats `body` while a signal interrupts it; throws if its result is negative.
  static func retrying(
    _ path: String, _ operation: FileProblem.Operation, _ body: () -> Int32
  ) throws(FileProblem) -> Result {
    while true {
      let result = body()
      if result >= 0 { return Result(value: result) }
      if errno != EINTR { throw FileProblem(path: path, operation: operation, code: errno) }
    }
  }

  /// The result of a system call.
  struct Result {
    var value: Int32

    func map<Mapped>(_ transform: (Int32) -> Mapped) -> Mapped { transform(value) }
  }
}

/// The status of an open file (fstat(2)).
package struct FileStatus: Hashable, Sendable {
  /// False for folders, links, FIFOs and devices.
  package let isRegular: Bool
  /// In bytes.
  package let size: Int64
  /// The last modification of its contents, in nanoseconds since 1970.
  package let modified: Int64
  /// The last change of its contents, name, owner or rights, in nanoseconds since 1970. No program can set it.
  package let changed: Int64
  /// Unique within its file system.
  package let inode: UInt64

  /// Nil if the call fails; errno then holds the reason.
  package init?(of descriptor: Int32) {
    var status = jamjar_file_status()
    guard jamjar_examine(descriptor, &status) == 0 else { return nil }
    isRegular = status.is_regular != 0
    size = status.size
    modified = status.modified_nanoseconds
    changed = status.changed_nanoseconds
    inode = status.inode
  }
}

/// The size of a disk and its free space.
package struct DiskSpace: Hashable, Sendable {
  /// Bytes available to this process.
  package var available: Int64
  /// Total size of the file system in bytes.
  package var total: Int64

  package init(available: Int64, total: Int64) {
    self.available = available
    self.total = total
  }

  /// Queries the file system that contains `path`.
  package init(at path: String) throws(FileProblem) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw FileProblem(path: path, operation: .examine, code: errno) }
    let block = UInt64(status.f_frsize)
    available = Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: block).partialValue)
    total = Int64(clamping: UInt64(status.f_blocks).multipliedReportingOverflow(by: block).partialValue)
  }

  /// The free fraction of the disk, 0 to 1.
  package var availableFraction: Double { total > 0 ? Double(available) / Double(total) : 0 }
}
