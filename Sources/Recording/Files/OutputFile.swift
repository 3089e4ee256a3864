import CLinux
import Glibc

/// A file written once from its beginning, with patches to earlier parts, and hashed on the way.
///
/// It has an unfinished file's name of its own until `finish()`. Used from one thread at a time.
final class OutputFile {
  let path: String
  private let name: String
  /// The name until `finish()`.
  private let part: String
  private let replaces: Bool
  private let folder: TakeFolder
  private let descriptor: Descriptor
  private let sum = SHA256()
  private var blocks: [[UInt8]] = []
  /// Blocks patched after they were hashed.
  private var stale: Set<Int> = []
  /// True if bytes of the block that is not complete yet were replaced after they were hashed.
  private var isRestStale = false
  private(set) var length: Int64 = 0
  /// Offset of the next `write`.
  var position: Int64 = 0
  /// The first problem; all later operations fail with it.
  private(set) var problem: FileProblem?

  private static let blockSize = Int64(FileDigest.blockSize)

  /// Creates the unfinished file `name` in `folder`.
  ///
  /// - Parameter replaces: true if `finish()` replaces an existing file; it fails with EEXIST otherwise.
  init(_ name: String, in folder: TakeFolder, replaces: Bool = true) throws(FileProblem) {
    (descriptor, part) = try folder.createPart(of: name)
    self.name = name
    self.folder = folder
    self.replaces = replaces
    path = folder.label(name)
  }

  /// Continues the unfinished file of an interrupted render where `part` describes it; what comes after that is cut off.
  ///
  /// - Throws: `FileProblem` if the file is not the one described. Its first and last blocks are compared; those between
  ///   them were on the disk before.
  init(continuing part: OutputPart, of name: String, in folder: TakeFolder) throws(FileProblem) {
    path = folder.label(part.file)
    guard FileComponent.isSafe(part.file) else { throw FileProblem(path: path, operation: .open, code: EINVAL) }
    descriptor = try folder.open(part.file, flags: O_RDWR)
    self.name = name
    self.part = part.file
    self.folder = folder
    // An interrupted render may have finished a file without saying so.
    replaces = true
    blocks = part.blocks
    let whole = Int64(blocks.count) * OutputFile.blockSize
    let found = try descriptor.length(path: path)
    guard part.length >= whole, part.length - whole < OutputFile.blockSize, found >= part.length else {
      throw FileProblem(
        path: path, operation: .read, code: 0, detail: "it has \(found) bytes, its checkpoint says \(part.length)")
    }
    let rest = try descriptor.read(at: whole, count: Int(part.length - whole), path: path)
    let descriptor = descriptor
    let first = try blocks.first.map { _ throws(FileProblem) in
      try SHA256.hash(of: descriptor, at: 0, count: FileDigest.blockSize, path: path)
    }
    guard SHA256.hash(rest) == part.rest, first == blocks.first else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: "it is not the file of its checkpoint")
    }
    _ = try Descriptor.retrying(path, .cut) { ftruncate(descriptor.raw, off_t(part.length)) }
    rest.withUnsafeBytes { sum.update($0) }
    (length, position) = (part.length, part.length)
  }

  /// Returns what is written so far, once it is on the disk; nil if an earlier part was patched, which no checkpoint
  /// describes.
  /// - Throws: `FileProblem`, also of an earlier write. A failed sync must end the work: the system reports it once, and
  ///   what it lost stays lost.
  func synchronized() throws(FileProblem) -> OutputPart? {
    if let problem { throw problem }
    guard stale.isEmpty else { return nil }
    do throws(FileProblem) {
      try hashRest()
      _ = try Descriptor.retrying(path, .sync) { fdatasync(descriptor.raw) }
    } catch {
      problem = error
      throw error
    }
    return OutputPart(file: part, length: length, blocks: blocks, rest: sum.current)
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
    if known > 0 { noteChange(from: position, to: position + Int64(known)) }
    if end > length {
      do throws(FileProblem) {
        try hashRest()
      } catch {
        problem = error
        return false
      }
      append(UnsafeRawBufferPointer(rebasing: bytes[known...]))
    }
    position = end
    return true
  }

  /// Writes `bytes` at `place`; at the end if it is nil.
  /// - Throws: `FileProblem`, also of an earlier write.
  func put(_ bytes: [UInt8], at place: Int64? = nil) throws(FileProblem) {
    position = place ?? length
    let isWritten = bytes.withUnsafeBytes { write($0) }
    guard isWritten else { throw problem ?? FileProblem(path: path, operation: .write, code: EIO) }
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
    try hashRest()
    if length % OutputFile.blockSize != 0 || blocks.isEmpty { blocks.append(sum.finish()) }
    for index in stale.sorted() where index < blocks.count {
      blocks[index] = try SHA256.hash(
        of: descriptor, at: Int64(index) * OutputFile.blockSize, count: FileDigest.blockSize, path: path)
    }
    try descriptor.synchronize(path: path)
    try folder.publish(part, as: name, replaces: replaces)
    let value = SHA256.hash(blocks.flatMap { $0 }).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return (length, FileDigest(value: value))
  }

  /// Removes the unfinished file.
  func abandon() {
    try? folder.remove(part)
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

  /// Takes note that bytes already hashed were replaced.
  private func noteChange(from start: Int64, to end: Int64) {
    for index in start / OutputFile.blockSize...(end - 1) / OutputFile.blockSize {
      if Int(index) == blocks.count { isRestStale = true } else { stale.insert(Int(index)) }
    }
  }

  /// Hashes the block that is not complete yet anew if it was patched.
  ///
  /// Not with each patch: a closing library makes several in a row, each in a file of which most may lie in this block.
  private func hashRest() throws(FileProblem) {
    guard isRestStale else { return }
    _ = sum.finish()
    let begin = Int64(blocks.count) * OutputFile.blockSize
    try sum.update(from: descriptor, at: begin, count: Int(length - begin), path: path)
    isRestStale = false
  }
}

/// How much of an unfinished file is on the disk, and how to recognise it.
struct OutputPart: Hashable, Sendable, Codable {
  /// Its name until it is finished.
  var file: String
  /// In bytes.
  var length: Int64
  /// SHA-256 of each whole block (`FileDigest`).
  var blocks: [[UInt8]]
  /// SHA-256 of the bytes after them.
  var rest: [UInt8]
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
