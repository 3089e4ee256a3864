import CLinux
import COpenSSL

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

extension FileDigest {
  /// Reads the file `name` of `folder` and computes its fingerprint; memory is one block, however long the file is.
  package init(of name: String, in folder: TakeFolder) throws(FileProblem) {
    let file = try folder.open(name)
    let path = folder.label(name)
    let length = try file.length(path: path)
    var sums: [UInt8] = []
    var position: Int64 = 0
    repeat {
      let block = try file.read(at: position, count: FileDigest.blockSize, path: path)
      sums += SHA256.hash(block)
      position += Int64(FileDigest.blockSize)
    } while position < length
    self.init(value: SHA256.hash(sums).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}

/// A running SHA-256 (FIPS 180-4) by OpenSSL.
package final class SHA256 {
  /// Bytes of the result.
  package static let length = 32

  private let context: OpaquePointer?

  /// Begins with nothing.
  package init() {
    context = EVP_MD_CTX_new()
    begin()
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Takes the next bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The hash of everything since the last call; begins anew.
  package func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: SHA256.length)
    EVP_DigestFinal_ex(context, &result, nil)
    begin()
    return result
  }

  /// The hash of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let sum = SHA256()
    bytes.withUnsafeBytes { sum.update($0) }
    return sum.finish()
  }

  private func begin() {
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }
}
