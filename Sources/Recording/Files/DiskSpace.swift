import CLinux
import Glibc

/// How much room a disk has.
package struct DiskSpace: Hashable, Sendable {
  /// Bytes that we may still write.
  package var available: Int64
  /// Bytes that the file system has in all.
  package var total: Int64

  package init(available: Int64, total: Int64) {
    self.available = available
    self.total = total
  }

  /// Asks the file system that holds `path`.
  package init(at path: String) throws(FileProblem) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw FileProblem(path: path, operation: .examine, code: errno) }
    let block = UInt64(status.f_frsize)
    available = Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: block).partialValue)
    total = Int64(clamping: UInt64(status.f_blocks).multipliedReportingOverflow(by: block).partialValue)
  }

  /// The free part of the disk, 0 to 1.
  package var availableFraction: Double { total > 0 ? Double(available) / Double(total) : 0 }
}
