/// An error that may mean no more than that the disk is full.
package protocol DiskProblem: Error {
  /// True where the disk (or the quota) is full: making room is all that is needed.
  var isDiskFull: Bool { get }
}
