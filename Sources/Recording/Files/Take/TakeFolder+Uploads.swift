import CLinux
import Glibc
import Music

/// Files that grow by pieces that others send.
extension TakeFolder {
  /// Creates the empty file `name` durably.
  package func createEmpty(_ name: String) throws(FileProblem) {
    try create(name).synchronize(path: label(name))
    try synchronize()
  }

  /// The bytes of the file `name`, and the time of its last change; nil if it does not exist.
  package func upload(_ name: String) throws(FileProblem) -> (size: Int64, modified: WallTime)? {
    do throws(FileProblem) {
      let file = try open(name)
      guard let status = FileStatus(of: file.raw) else {
        throw FileProblem(path: label(name), operation: .examine, code: errno)
      }
      return (status.size, WallTime(milliseconds: status.modified / 1_000_000))
    } catch  where error.isMissing {
      return nil
    }
  }

  /// Appends `bytes` durably to the file `name`, which has `size` bytes.
  ///
  /// On failure, nothing is added.
  /// - Throws: `FileProblem`; EINVAL if the file has another length.
  package func append(_ bytes: UnsafeRawBufferPointer, to name: String, at size: Int64) throws(FileProblem) {
    let path = label(name)
    let file = try open(name, flags: O_RDWR)
    let length = try file.length(path: path)
    guard length == size else {
      throw FileProblem(
        path: path, operation: .write, code: EINVAL, detail: "it has \(length) bytes and should have \(size)")
    }
    do throws(FileProblem) {
      try file.write(bytes, at: size, path: path)
      _ = try Descriptor.retrying(path, .sync) { fdatasync(file.raw) }
    } catch {
      _ = ftruncate(file.raw, off_t(size))
      throw error
    }
  }

  /// Sets the time of the last modification of the file `name`.
  package func date(_ name: String, _ time: WallTime) throws(FileProblem) {
    let file = try open(name)
    _ = try Descriptor.retrying(label(name), .write) { jamjar_set_modified(file.raw, time.milliseconds) }
  }
}
