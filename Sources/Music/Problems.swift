/// An error that may mean no more than that the disk is full.
package protocol DiskProblem: Error {
  /// True where the disk (or the quota) is full: making room is all that is needed.
  var isDiskFull: Bool { get }
}

/// An error that may mean no more than that the index cannot be used at this moment.
package protocol IndexProblem: Error {
  /// True where the same call may do later: the index is locked, slow, out of room or damaged, and what was asked for was
  /// in order.
  var isIndexUnavailable: Bool { get }
}
