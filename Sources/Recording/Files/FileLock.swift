import CLinux
import Glibc

/// A lock between processes and within one (flock), which the system releases with the process at the latest.
package final class FileLock: Sendable {
  private let descriptor: Descriptor

  /// Tries to lock the file `name` in `folder`, which is made where it is not there; nil while another holds it.
  ///
  /// - Parameter isShared: beside others that share it.
  package init?(_ name: String, in folder: TakeFolder, isShared: Bool = false) throws(FileProblem) {
    let path = folder.label(name)
    descriptor = try Descriptor.open(
      name, in: folder.descriptor, flags: O_RDWR | O_CREAT, path: path, operation: .create)
    while flock(descriptor.raw, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return nil }
      guard errno == EINTR else { throw FileProblem(path: path, operation: .open, code: errno) }
    }
  }
}
