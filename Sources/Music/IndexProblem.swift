/// An error that may mean no more than that the index cannot be used at this moment.
package protocol IndexProblem: Error {
  /// True where the same call may do later: the index is locked, slow, out of room or damaged, and what was asked for was
  /// in order.
  var isIndexUnavailable: Bool { get }
}
