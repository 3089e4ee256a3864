/// Where a journal's bytes lie: a file, or a simulated disk in tests.
///
/// One thread at a time writes.
package protocol JournalStorage: AnyObject, Sendable {
  /// Bytes that the journal has.
  var size: Int64 { get }
  /// Appends all of `bytes` or nothing: after an error the journal is as long as before.
  func append(_ bytes: [UInt8]) throws(FileProblem)
  /// Returns when everything appended is on the disk (fdatasync).
  func sync() throws(FileProblem)
  /// False where somebody deleted the file: its bytes are there as long as it is open.
  var isLinked: Bool { get throws(FileProblem) }
  /// Cuts the journal to `size` bytes.
  func truncate(to size: Int64) throws(FileProblem)
  /// Up to `count` bytes from `offset`; fewer only at the end.
  func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8]
  /// Sets disk space aside for `bytes` more, so that others filling the disk do not end the take.
  func reserve(_ bytes: Int64) throws(FileProblem)
  /// Gives back the disk space that `reserve` set aside and that was not needed.
  func releaseReserve() throws(FileProblem)
}
