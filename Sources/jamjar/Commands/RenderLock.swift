import Foundation
import Glibc
import Recording

/// Keeps two commands from rendering one take at the same time; it is gone with the process at the latest.
final class RenderLock {
  private let descriptor: Int32

  /// Locks the take in `folder`, which lies at `path`, by its journal (flock; readers and the service do not mind).
  /// - Throws: `CommandFailure` where another command renders it, or where there is no journal.
  init(on folder: TakeFolder, path: String) throws {
    descriptor = Glibc.open("\(path)/\(TakeFolder.journalName)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw CommandFailure(
        ExitCodes.noInput, "\(path) has no \(TakeFolder.journalName), and without it nothing can be rendered")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw CommandFailure(ExitCodes.unsuitable, "another command renders \(path) at this moment; wait for it")
    }
  }

  deinit {
    close(descriptor)
  }
}
