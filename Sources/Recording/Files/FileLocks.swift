import CLinux
import Glibc

/// A lock between and within processes (flock). The system releases it at the latest when the process ends.
package final class FileLock: Sendable {
  private let descriptor: Descriptor

  /// Tries to lock the file `name` in `folder`, creating it if necessary; nil if another holder has it.
  ///
  /// - Parameter isShared: true for a lock shared with other shared holders.
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

/// Prevents two processes from rendering the same take at once (flock on its journal, which affects neither the
/// recorder nor readers). The system releases it at the latest when the process ends.
package final class JournalLock: Sendable {
  private let descriptor: Descriptor

  /// Locks the take in `folder`; nil if another process holds it.
  /// - Throws: `FileProblem`; `isMissing` if there is no journal.
  package init?(in folder: TakeFolder) throws(FileProblem) {
    descriptor = try JournalLock.open(in: folder)
    guard try JournalLock.lock(descriptor, LOCK_EX | LOCK_NB, in: folder) else { return nil }
  }

  /// Waits until no other process holds the take in `folder`, then locks it.
  /// - Throws: `FileProblem`; `isMissing` if there is no journal.
  package init(waitingIn folder: TakeFolder) throws(FileProblem) {
    descriptor = try JournalLock.open(in: folder)
    _ = try JournalLock.lock(descriptor, LOCK_EX, in: folder)
  }

  private static func open(in folder: TakeFolder) throws(FileProblem) -> Descriptor {
    try Descriptor.open(
      TakeFolder.journalName, in: folder.descriptor, flags: O_RDONLY, path: folder.label(TakeFolder.journalName))
  }

  private static func lock(_ descriptor: Descriptor, _ how: Int32, in folder: TakeFolder) throws(FileProblem) -> Bool {
    while flock(descriptor.raw, how) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else {
        throw FileProblem(path: folder.label(TakeFolder.journalName), operation: .open, code: errno)
      }
    }
    return true
  }
}
