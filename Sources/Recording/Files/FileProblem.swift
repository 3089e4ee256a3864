import CLinux
import Glibc
import Music

/// A file operation that failed.
package struct FileProblem: DiskProblem, Hashable, Sendable, Codable {
  /// What was tried.
  package enum Operation: String, Hashable, Sendable, Codable {
    case open, create, read, write, sync, cut, rename, remove, list, reserve, examine, encode, decode
  }

  /// The file or folder, as far as its owner may know it (relative to the data folder where there is one).
  package var path: String
  package var operation: Operation
  /// The system's error number (errno), 0 where the system had no part in it.
  package var code: Int32
  /// What is wrong with the contents or the name, where the system had no part in it.
  package var detail: String?

  package init(path: String, operation: Operation, code: Int32, detail: String? = nil) {
    self.path = path
    self.operation = operation
    self.code = code
    self.detail = detail
  }

  /// True where the disk (or the quota) is full: making room is all that is needed.
  package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
  /// True where this process or the machine has no descriptor left: others give theirs back.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }
  /// True where there is no such file or folder.
  package var isMissing: Bool { code == ENOENT }
}

extension FileProblem: CustomStringConvertible {
  /// A sentence for people: "cannot write Studio/…/take.journal: No space left on device; make room on the disk".
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
      // The POSIX kind of strerror_r: it fills the buffer and answers 0.
      return strerror_r(code, base, buffer.count - 1) == 0 ? String(cString: base) : "error \(code)"
    }
  }
}
