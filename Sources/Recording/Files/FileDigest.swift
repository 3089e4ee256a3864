/// The fingerprint of a file that was written in one go: SHA-256 over the SHA-256 of each of its 8 MiB blocks.
///
/// A sound file's head is written last (its length stands in it), so a plain SHA-256 would need the whole file again at
/// the end of a take; of blocks only the first is hashed again. It is the composite checksum that S3 gives an object
/// uploaded in parts of 8 MiB, and a shell can compute it (`docs/journal.md`).
package struct FileDigest: Hashable, Sendable, Codable {
  /// Bytes in a block.
  package static let blockSize = 8 << 20
  /// The only method so far.
  package static let method = "sha256-of-8MiB-sha256"

  /// How `value` was computed.
  package var method: String
  /// 64 hexadecimal digits.
  package var value: String

  package init(method: String = FileDigest.method, value: String) {
    self.method = method
    self.value = value
  }
}
