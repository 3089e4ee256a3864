import CLinux

/// What the system says about an open file (fstat(2)).
package struct FileStatus: Hashable, Sendable {
  /// False for folders, links, FIFOs and devices.
  package let isRegular: Bool
  /// In bytes.
  package let size: Int64
  /// The last change of its contents, in nanoseconds since 1970.
  package let modified: Int64
  /// Tells it from every other file of its file system.
  package let inode: UInt64

  /// Nil where the system does not say; errno tells why.
  package init?(of descriptor: Int32) {
    var status = jamjar_file_status()
    guard jamjar_examine(descriptor, &status) == 0 else { return nil }
    isRegular = status.is_regular != 0
    size = status.size
    modified = status.modified_nanoseconds
    inode = status.inode
  }
}
