import CLinux
import Glibc
import Music

/// A file operation that failed.
package struct FileProblem: DiskProblem, Hashable, Sendable, Codable {
  /// The operation that failed.
  package enum Operation: String, Hashable, Sendable, Codable {
    case open, create, read, write, sync, cut, rename, remove, list, reserve, examine, encode, decode
  }

  /// The file or folder as it may be shown to its owner (relative to the data folder if possible).
  package var path: String
  package var operation: Operation
  /// The system's error number (errno); 0 if no system call failed.
  package var code: Int32
  /// The fault in the contents or the name, if no system call failed.
  package var detail: String?

  package init(path: String, operation: Operation, code: Int32, detail: String? = nil) {
    self.path = path
    self.operation = operation
    self.code = code
    self.detail = detail
  }

  /// True if the disk (or the quota) is full; freeing space is enough.
  package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
  /// True if this process or the machine has run out of file descriptors; closing others is enough.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  /// True if the file or folder does not exist.
  package var isMissing: Bool { code == ENOENT }
  /// True if there is something else in place of the file or a folder above it: a link, a FIFO, a device.
  package var isNotAFile: Bool { code == ELOOP || code == ENOTDIR || code == ENXIO || detail == FileProblem.notRegular }

  /// True if the contents are larger than a file of its kind may be; shorter texts are enough.
  package var isTooLarge: Bool { code == EFBIG }

  static func tooLarge(_ path: String, size: Int, limit: Int) -> FileProblem {
    FileProblem(
      path: path, operation: .encode, code: EFBIG,
      detail: "it would have \(size) bytes; at most \(limit) are read again")
  }

  private static let notRegular = "it is not a regular file"

  static func notAFile(_ path: String) -> FileProblem {
    FileProblem(path: path, operation: .open, code: 0, detail: notRegular)
  }
}

extension FileProblem: CustomStringConvertible {
  /// A sentence for users: "cannot write Studio/…/take.journal: No space left on device; make room on the disk".
  package var description: String {
    var sentence = "cannot \(operation.rawValue) \(path)"
    if code != 0 { sentence += ": \(FileProblem.text(of: code))" }
    if let detail { sentence += ": \(detail)" }
    if isDiskFull { sentence += "; make room on the disk" }
    if code == ELOOP || code == ENOTDIR { sentence += "; links and files in place of folders are not followed" }
    return sentence
  }

  private static func text(of code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress else { return "error \(code)" }
      buffer.initialize(repeating: 0)
      // The POSIX variant of strerror_r, which fills the buffer and returns 0.
      return strerror_r(code, base, buffer.count - 1) == 0 ? String(cString: base) : "error \(code)"
    }
  }
}
