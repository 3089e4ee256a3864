import CLinux
import Glibc

/// A file written once from its beginning, with patches to earlier parts, and hashed on the way.
///
/// It has its `.part` name until `finish()`. Used from one thread at a time.
final class OutputFile {
  let path: String
  private let name: String
  private let folder: TakeFolder
  private let descriptor: Descriptor
  private let sum = SHA256()
  private var blocks: [[UInt8]] = []
  /// Blocks patched after they were hashed.
  private var stale: Set<Int> = []
  private(set) var length: Int64 = 0
  /// Offset of the next `write`.
  var position: Int64 = 0
  /// The first problem; all later operations fail with it.
  private(set) var problem: FileProblem?

  private static let blockSize = Int64(FileDigest.blockSize)

  /// Creates `name.part` in `folder`, replacing one left by an interrupted render.
  init(_ name: String, in folder: TakeFolder) throws(FileProblem) {
    let part = TakeFolder.partName(name)
    try folder.remove(part)
    descriptor = try folder.create(part)
    self.name = name
    self.folder = folder
    path = folder.label(part)
  }

  /// Writes `bytes` at `position` and advances it; false after a problem.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard problem == nil else { return false }
    guard position >= 0, position <= length else {
      problem = FileProblem(
        path: path, operation: .write, code: EINVAL, detail: "byte \(position) lies beyond the end (\(length))")
      return false
    }
    do throws(FileProblem) {
      try descriptor.write(bytes, at: position, path: path)
    } catch {
      problem = error
      return false
    }
    let end = position + Int64(bytes.count)
    let known = Int(min(Int64(bytes.count), length - position))
    if known > 0 { markStale(from: position, to: position + Int64(known)) }
    if end > length {
      append(UnsafeRawBufferPointer(rebasing: bytes[known...]))
    }
    position = end
    return true
  }

  /// Reads back earlier bytes (sound file libraries read their own headers).
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let read = try? descriptor.read(at: position, count: bytes.count, path: path) else { return 0 }
    bytes.copyBytes(from: read)
    position += Int64(read.count)
    return read.count
  }

  /// Syncs the file, gives it its final name, and returns its length and fingerprint.
  func finish() throws(FileProblem) -> (size: Int64, digest: FileDigest) {
    if let problem { throw problem }
    if length % OutputFile.blockSize != 0 || blocks.isEmpty { blocks.append(sum.finish()) }
    for index in stale.sorted() where index < blocks.count {
      let bytes = try descriptor.read(
        at: Int64(index) * OutputFile.blockSize, count: FileDigest.blockSize, path: path)
      blocks[index] = SHA256.hash(bytes)
    }
    try descriptor.synchronize(path: path)
    try folder.publish(name)
    let value = SHA256.hash(blocks.flatMap { $0 }).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return (length, FileDigest(value: value))
  }

  /// Removes the unfinished file.
  func abandon() {
    try? folder.remove(TakeFolder.partName(name))
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      let room = Int(OutputFile.blockSize - length % OutputFile.blockSize)
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(room))
      sum.update(piece)
      length += Int64(piece.count)
      if length % OutputFile.blockSize == 0 {
        blocks.append(sum.finish())
        // Start writing the block back now, so that the final fsync has little to do.
        _ = jamjar_begin_writeback(
          descriptor.raw, off_t(length - OutputFile.blockSize), off_t(OutputFile.blockSize))
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
    }
  }

  private func markStale(from start: Int64, to end: Int64) {
    for index in start / OutputFile.blockSize...(end - 1) / OutputFile.blockSize { stale.insert(Int(index)) }
  }
}

/// A complete file with its final name.
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
