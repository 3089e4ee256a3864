/// An error that may simply mean that the disk is full.
package protocol DiskProblem: Error {
  /// True if the disk (or the quota) is full; freeing space is enough.
  var isDiskFull: Bool { get }
}

/// An error that may simply mean that the index is temporarily unusable.
package protocol IndexProblem: Error {
  /// True if the same call may succeed later: the request was valid, but the index is locked, slow, out of space or
  /// damaged.
  var isIndexUnavailable: Bool { get }
}
