import CZlib
import Synchronization

/// CRC-32 (ITU-T V.42) of files, each computed once while it stays as it is.
///
/// The first byte of an archive needs only the checksum of its first file (the small ones come first), so a download
/// begins at once; one that is resumed finds the sums of everything before.
final class FileChecksums: Sendable {
  /// What the whole process shares.
  static let shared = FileChecksums()

  /// The same file with the same contents, as far as the system can say it.
  private struct Key: Hashable {
    let path: String
    let status: FileStatus
  }

  /// Sums that are kept; a take has about ten files.
  private static let capacity = 8_192
  /// Bytes that are read at a time.
  private static let stretch = 1 << 20

  private let sums = Mutex<[Key: UInt32]>([:])

  /// The checksum of all of `file`, of which `status` was read.
  func sum(of file: Descriptor, status: FileStatus, path: String) throws(FileProblem) -> UInt32 {
    let key = Key(path: path, status: status)
    if let known = sums.withLock({ $0[key] }) { return known }
    var sum: UInt32 = 0
    var position: Int64 = 0
    while position < status.size {
      let bytes = try file.read(
        at: position, count: Int(min(Int64(FileChecksums.stretch), status.size - position)), path: path)
      guard !bytes.isEmpty else { throw ZIPArchive.changed(path) }
      sum = FileChecksums.sum(of: bytes, seed: sum)
      position += Int64(bytes.count)
    }
    let result = sum
    sums.withLock { sums in
      if sums.count >= FileChecksums.capacity { sums.removeAll() }
      sums[key] = result
    }
    return result
  }

  /// The checksum of `bytes`, going on from `seed`, the sum of what came before.
  static func sum(of bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_z(UInt(seed), bytes, bytes.count))
  }
}
