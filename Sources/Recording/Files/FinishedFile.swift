/// A file that was written to its end and has its own name.
package struct FinishedFile: Hashable, Sendable {
  package var name: String
  /// Length in bytes.
  package var size: Int64
  package var digest: FileDigest

  package init(name: String, size: Int64, digest: FileDigest) {
    self.name = name
    self.size = size
    self.digest = digest
  }
}
