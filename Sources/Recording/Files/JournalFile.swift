import CLinux
import Glibc
import Synchronization

/// A take's journal on disk.
package final class JournalFile: JournalStorage {
  /// The file's path relative to the data folder, for messages.
  package let path: String
  private let descriptor: Descriptor
  /// The journal's length; the lock is held for a whole append, so that a mistaken second writer can only wait.
  private let length: Mutex<Int64>

  private init(path: String, descriptor: Descriptor, length: Int64) {
    self.path = path
    self.descriptor = descriptor
    self.length = Mutex(length)
  }

  /// Makes the journal of a new take; there must be none.
  package convenience init(creatingIn folder: TakeFolder) throws(FileProblem) {
    let descriptor = try folder.create(TakeFolder.journalName)
    try folder.synchronize()
    self.init(path: folder.label(TakeFolder.journalName), descriptor: descriptor, length: 0)
  }

  /// Opens a journal that is there: to go on with it, to recover it, or only to read it.
  package convenience init(openingIn folder: TakeFolder, forReadingOnly: Bool = false) throws(FileProblem) {
    let descriptor = try folder.open(TakeFolder.journalName, flags: forReadingOnly ? O_RDONLY : O_RDWR)
    let path = folder.label(TakeFolder.journalName)
    self.init(path: path, descriptor: descriptor, length: try descriptor.length(path: path))
  }

  /// Opens the journal at `path` of the whole file system, for reading only: one that was copied or sent.
  package convenience init(readingAt path: String) throws(FileProblem) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw FileProblem(path: path, operation: .open, code: EINVAL, detail: "this is no path")
    }
    // Not blocking, so that a pipe of that name is refused at the first read and waited for by nobody.
    let descriptor = try Descriptor.retrying(path, .open) {
      Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }.map(Descriptor.init(owning:))
    self.init(path: path, descriptor: descriptor, length: try descriptor.length(path: path))
  }

  package var size: Int64 { length.withLock { $0 } }

  package func append(_ bytes: [UInt8]) throws(FileProblem) {
    try length.withLock { length throws(FileProblem) in
      var problem: FileProblem?
      bytes.withUnsafeBytes { bytes in
        do throws(FileProblem) {
          try descriptor.write(bytes, at: length, path: path)
        } catch {
          problem = error
        }
      }
      if let problem {
        // Half a frame must not stay where the next append goes on; where even that fails, its checksum tells.
        _ = ftruncate(descriptor.raw, off_t(length))
        throw problem
      }
      length += Int64(bytes.count)
    }
  }

  package func sync() throws(FileProblem) {
    _ = try Descriptor.retrying(path, .sync) { fdatasync(descriptor.raw) }
  }

  package func truncate(to size: Int64) throws(FileProblem) {
    try length.withLock { length throws(FileProblem) in
      // A journal is never made longer than it is: that would be a run of zeros.
      let size = min(max(0, size), length)
      _ = try Descriptor.retrying(path, .cut) { ftruncate(descriptor.raw, off_t(size)) }
      length = size
    }
  }

  package func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8] {
    try descriptor.read(at: max(0, offset), count: count, path: path)
  }

  package func reserve(_ bytes: Int64) throws(FileProblem) {
    let end = size
    // Kept outside the file's length: readers never see the reserve, and `truncate` gives it back.
    _ = try Descriptor.retrying(path, .reserve) {
      jamjar_reserve(descriptor.raw, off_t(end), off_t(max(1, bytes)))
    }
  }

  /// Gives back the disk space that `reserve` set aside and that was not needed.
  package func releaseReserve() throws(FileProblem) {
    try truncate(to: size)
  }
}
