import CLinux
import COpenSSL

/// The fingerprint of a sequentially written file: SHA-256 over the SHA-256 of each of its 8 MiB blocks.
///
/// A sound file's header is written last because it contains the length. A plain SHA-256 would need the whole file
/// again at the end of a take; with blocks, only the first is hashed again. This is the composite checksum that S3
/// gives an object uploaded in parts of 8 MiB, and a shell can compute it (`docs/journal.md`).
package struct FileDigest: Hashable, Sendable, Codable {
  /// Bytes per block.
  package static let blockSize = 8 << 20
  /// The only method so far.
  package static let method = "sha256-of-8MiB-sha256"

  /// The method used for `value`.
  package var method: String
  /// 64 hexadecimal digits.
  package var value: String

  package init(method: String = FileDigest.method, value: String) {
    self.method = method
    self.value = value
  }
}

extension FileDigest {
  /// Computes the fingerprint of the file `name` in `folder`, with little of it in memory at a time.
  package init(of name: String, in folder: TakeFolder) throws(FileProblem) {
    try self.init(of: try folder.open(name), path: folder.label(name))
  }

  /// Computes the fingerprint of a file with these bytes.
  package init(of bytes: [UInt8]) {
    var sums: [UInt8] = []
    var place = 0
    repeat {
      let end = min(bytes.count, place + FileDigest.blockSize)
      sums += SHA256.hash(Array(bytes[place..<end]))
      place = end
    } while place < bytes.count
    self.init(value: SHA256.hash(sums).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }

  /// Computes the fingerprint of an open file, which stays the same file if another one gets its name.
  init(of file: Descriptor, path: String) throws(FileProblem) {
    do {
      try self.init(of: file, path: path) { _ in }
    } catch let problem as FileProblem {
      throw problem
    } catch {
      // Nothing else throws here; the compiler does not know.
      throw FileProblem(path: path, operation: .read, code: 0, detail: "\(error)")
    }
  }

  /// - Parameter progress: receives the fraction done, 0 to 1, after each block; an error it throws ends the work.
  init(of file: Descriptor, path: String, progress: (Double) throws -> Void) throws {
    let length = try file.length(path: path)
    var sums: [UInt8] = []
    var position: Int64 = 0
    repeat {
      sums += try SHA256.hash(of: file, at: position, count: FileDigest.blockSize, path: path)
      position += Int64(FileDigest.blockSize)
      try progress(min(1, Double(position) / Double(max(1, length))))
    } while position < length
    self.init(value: SHA256.hash(sums).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}

/// An incremental SHA-256 (FIPS 180-4), computed by OpenSSL.
package final class SHA256 {
  /// Length of the hash in bytes.
  package static let length = 32

  private let context: OpaquePointer?

  /// Creates a hash of no bytes.
  package init() {
    context = EVP_MD_CTX_new()
    begin()
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Adds bytes.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// Returns the hash of all bytes since the last call, and resets.
  package func finish() -> [UInt8] {
    var result = [UInt8](repeating: 0, count: SHA256.length)
    EVP_DigestFinal_ex(context, &result, nil)
    begin()
    return result
  }

  /// The hash of all bytes since the last call of `finish()`; more can be added afterwards.
  package var current: [UInt8] {
    let copy = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(copy) }
    var result = [UInt8](repeating: 0, count: SHA256.length)
    EVP_MD_CTX_copy_ex(copy, context)
    EVP_DigestFinal_ex(copy, &result, nil)
    return result
  }

  /// The hash of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let sum = SHA256()
    bytes.withUnsafeBytes { sum.update($0) }
    return sum.finish()
  }

  /// The hash of `count` bytes of `file` from `offset` on; of fewer at its end.
  static func hash(of file: Descriptor, at offset: Int64, count: Int, path: String) throws(FileProblem) -> [UInt8] {
    let sum = SHA256()
    try sum.update(from: file, at: offset, count: count, path: path)
    return sum.finish()
  }

  /// Adds `count` bytes of `file` from `offset` on; fewer at its end.
  ///
  /// They are read in pieces that stay in the processor's cache, instead of into as much fresh memory.
  func update(from file: Descriptor, at offset: Int64, count: Int, path: String) throws(FileProblem) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: min(count, 128 << 10), alignment: 64)
    defer { piece.deallocate() }
    var done = 0
    while done < count {
      let wanted = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(count - done))
      let read = try file.read(into: wanted, at: offset + Int64(done), path: path)
      update(UnsafeRawBufferPointer(rebasing: wanted.prefix(read)))
      done += read
      if read < wanted.count { break }
    }
  }

  private func begin() {
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }
}
