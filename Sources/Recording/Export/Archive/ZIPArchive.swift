import CZlib
import Glibc
import Music
import Synchronization

/// A ZIP archive of files on disk; any byte range can be read without writing the archive.
///
/// It keeps its files open, so files that are removed or replaced are still read in their old state. For downloads it has
/// one file open at a time: they may be many, last long, and take no descriptors from takes. A file that is replaced
/// meanwhile ends the reading. Reading blocks on the disk.
package final class ZIPArchive: Sendable {
  /// The source of an entry's bytes.
  package enum Source: Sendable {
    /// The file of this name.
    case file(String, in: TakeFolder)
    case bytes([UInt8])
  }

  /// A file to be put into the archive.
  package struct Member: Sendable {
    /// Its relative path in the archive, with slashes.
    package var name: String
    package var source: Source
    package var modified: WallTime

    package init(name: String, source: Source, modified: WallTime) {
      self.name = name
      self.source = source
      self.modified = modified
    }
  }

  private enum Contents: Sendable {
    case file(File)
    case bytes([UInt8])
  }

  /// A member on disk as it was when the archive was laid out.
  private struct File: Sendable {
    let name: String
    let folder: TakeFolder
    let status: FileStatus
    /// Nil if it is opened when its bytes are wanted.
    let kept: Descriptor?

    var path: String { folder.label(name) }
  }

  /// The file that was read last.
  private struct Open: Sendable {
    let entry: Int
    let file: Descriptor
  }

  package let layout: ZIPLayout
  /// A strong HTTP entity tag, without quotes: equal for archives of equal bytes, provided no file changes in place.
  package let entityTag: String
  private let contents: [Contents]
  private let open = Mutex<Open?>(nil)

  /// Bytes copied at a time by `write`.
  private static let stretch = 1 << 20

  /// Examines every member's file.
  /// - Parameter keepsOpen: false to have one of them open at a time.
  /// - Throws: `FileProblem` (a file is missing or not a regular file), `ZIPProblem` (a name).
  package init(_ members: [Member], keepsOpen: Bool = true) throws {
    var contents: [Contents] = []
    var entries: [ZIPLayout.Entry] = []
    var identity = ""
    for member in members {
      let size: Int64
      switch member.source {
      case .bytes(let bytes):
        size = Int64(bytes.count)
        contents.append(.bytes(bytes))
        identity += "\(FileChecksums.sum(of: bytes))"
      case .file(let name, let folder):
        let file = try folder.open(name)
        let path = folder.label(name)
        guard let status = FileStatus(of: file.raw) else {
          throw FileProblem(path: path, operation: .examine, code: errno)
        }
        size = status.size
        contents.append(.file(File(name: name, folder: folder, status: status, kept: keepsOpen ? file : nil)))
        identity += "\(status.modified) \(status.inode)"
      }
      entries.append(ZIPLayout.Entry(name: member.name, size: size, modified: member.modified))
      identity += " \(size) \(member.modified.bitPattern) \(member.name)\n"
    }
    layout = try ZIPLayout(entries)
    self.contents = contents
    // 128 bits are plenty to tell versions of one resource apart.
    entityTag = SHA256.hash(Array(identity.utf8)).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }

  /// Length of the archive in bytes.
  package var size: Int64 { layout.size }

  /// Returns up to `count` bytes of the archive from `offset`, fewer at its end.
  ///
  /// - Throws: `FileProblem` if a file cannot be read or has become shorter.
  package func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8] {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    var result: [UInt8] = []
    result.reserveCapacity(Int(min(Int64(count), size - offset)))
    for piece in layout.pieces(of: offset..<(offset + min(Int64(count), size - offset))) {
      switch piece {
      case .header(let entry, let range):
        result += layout.header(of: entry, checksum: try checksum(of: entry))[range]
      case .contents(let entry, let range):
        result += try bytes(of: entry, range)
      case .directory(let range):
        var checksums: [UInt32] = []
        for entry in contents.indices { checksums.append(try checksum(of: entry)) }
        result += layout.directory(checksums: checksums)[Int(range.lowerBound)..<Int(range.upperBound)]
      }
    }
    return result
  }

  /// Writes the archive as the file `name` in `folder`; on failure, no file is left.
  ///
  /// - Parameters:
  ///   - replaces: true to replace an existing file.
  ///   - progress: receives the fraction done, 0…1, and may throw to cancel.
  package func write(
    _ name: String, in folder: TakeFolder, replaces: Bool = true, progress: (Double) throws -> Void = { _ in }
  ) throws -> FinishedFile {
    let output = try OutputFile(name, in: folder, replaces: replaces)
    do {
      while output.length < size {
        try progress(Double(output.length) / Double(size))
        try output.put(try read(at: output.length, count: ZIPArchive.stretch))
      }
      // The last chance to cancel.
      try progress(1)
      let (size, digest) = try output.finish()
      return FinishedFile(name: name, size: size, digest: digest)
    } catch {
      output.abandon()
      throw error
    }
  }

  private func checksum(of entry: Int) throws(FileProblem) -> UInt32 {
    switch contents[entry] {
    case .bytes(let bytes): FileChecksums.sum(of: bytes)
    case .file(let file):
      try FileChecksums.shared.sum(of: file.status, path: file.path) { () throws(FileProblem) in
        try descriptor(of: file, entry)
      }
    }
  }

  /// The open file of `entry`, unchanged since the archive was laid out.
  private func descriptor(of file: File, _ entry: Int) throws(FileProblem) -> Descriptor {
    if let kept = file.kept { return kept }
    if let open = open.withLock({ $0 }), open.entry == entry { return open.file }
    let opened = try file.folder.open(file.name)
    guard let status = FileStatus(of: opened.raw), status.inode == file.status.inode,
      status.modified == file.status.modified, status.size == file.status.size
    else { throw ZIPArchive.changed(file.path) }
    open.withLock { $0 = Open(entry: entry, file: opened) }
    return opened
  }

  private func bytes(of entry: Int, _ range: Range<Int64>) throws(FileProblem) -> [UInt8] {
    switch contents[entry] {
    case .bytes(let bytes): return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    case .file(let file):
      let bytes = try descriptor(of: file, entry).read(at: range.lowerBound, count: range.count, path: file.path)
      guard bytes.count == range.count else { throw ZIPArchive.changed(file.path) }
      return bytes
    }
  }

  static func changed(_ path: String) -> FileProblem {
    FileProblem(path: path, operation: .read, code: 0, detail: "it changed while it was being archived")
  }
}

/// CRC-32 (ITU-T V.42) of files, computed once per file until it changes.
///
/// The first byte of an archive needs only the checksum of its first file (small files come first), so a download
/// starts immediately. A resumed download finds the checksums of everything before.
final class FileChecksums: Sendable {
  /// The instance shared by the whole process.
  static let shared = FileChecksums()

  /// Identifies a file and its contents, as far as the system can tell.
  private struct Key: Hashable {
    let path: String
    let status: FileStatus
  }

  /// Maximum number of cached checksums; a take has about ten files.
  private static let capacity = 8_192
  /// Bytes read at a time.
  private static let stretch = 1 << 20

  private let sums = Mutex<[Key: UInt32]>([:])

  /// The checksum of the whole file at `path` with `status`, which `open` opens if nobody has read it yet.
  func sum(
    of status: FileStatus, path: String, _ open: () throws(FileProblem) -> Descriptor
  ) throws(FileProblem) -> UInt32 {
    let key = Key(path: path, status: status)
    if let known = sums.withLock({ $0[key] }) { return known }
    let file = try open()
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

  /// The checksum of `bytes`, continuing from `seed`, the checksum of the preceding bytes.
  static func sum(of bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_z(UInt(seed), bytes, bytes.count))
  }
}
