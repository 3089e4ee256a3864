import Music

/// The layout of a ZIP archive of stored entries (APPNOTE 6.3.10, with ZIP64 where a size or count needs it).
///
/// Sound does not compress, so an entry's bytes are the file's bytes. Names, sizes and times alone determine the
/// archive's total size and the contents of any byte range, before any file is read. Equal entries give equal
/// archives. Checksums are filled into the headers, where they change no length. They precede the contents because
/// streaming readers refuse stored entries whose sizes come afterwards.
package struct ZIPLayout: Hashable, Sendable {
  /// A file in the archive.
  package struct Entry: Hashable, Sendable {
    /// Its relative path, with slashes.
    package var name: String
    /// Its length in bytes.
    package var size: Int64
    /// When it was last changed.
    package var modified: WallTime

    package init(name: String, size: Int64, modified: WallTime) {
      self.name = name
      self.size = size
      self.modified = modified
    }
  }

  /// A piece of the archive.
  package enum Piece: Hashable, Sendable {
    /// These bytes of the header of an entry.
    case header(entry: Int, Range<Int>)
    /// These bytes of an entry's file.
    case contents(entry: Int, Range<Int64>)
    /// These bytes of the directory at the end.
    case directory(Range<Int64>)
  }

  package let entries: [Entry]
  /// Length of the archive in bytes.
  package let size: Int64
  /// Offset of each entry's header.
  let offsets: [Int64]
  /// Offset of the directory.
  let directoryOffset: Int64
  /// Length of the entries' records in the directory, without the end records.
  let directorySize: Int64

  /// Lays out `entries` in the given order.
  package init(_ entries: [Entry]) throws(ZIPProblem) {
    var names: Set<String> = []
    var offsets: [Int64] = []
    var position: Int64 = 0
    var directory: Int64 = 0
    for entry in entries {
      guard ZIPLayout.isSafe(entry.name) else { throw .unsafeName(entry.name) }
      guard names.insert(entry.name).inserted else { throw .nameTwice(entry.name) }
      guard entry.size >= 0, entry.size <= ZIPLayout.largest - position else {
        throw .impossibleSize(name: entry.name, size: entry.size)
      }
      offsets.append(position)
      directory += ZIPLayout.directoryRecordLength(entry, at: position)
      position += ZIPLayout.headerLength(entry) + entry.size
    }
    self.entries = entries
    self.offsets = offsets
    directoryOffset = position
    directorySize = directory
    size = position + directory + ZIPLayout.endLength(entries.count, directory, position)
  }

  /// Larger than any real file, and small enough that sums cannot overflow.
  private static let largest: Int64 = 1 << 60

  /// The pieces that make up `range` of the archive, in order; bytes beyond its end are left out.
  package func pieces(of range: Range<Int64>) -> [Piece] {
    let range = range.clamped(to: 0..<size)
    guard !range.isEmpty else { return [] }
    var pieces: [Piece] = []
    for index in firstEntry(reaching: range.lowerBound)..<entries.count where offsets[index] < range.upperBound {
      let start = offsets[index]
      let length = ZIPLayout.headerLength(entries[index])
      let header = range.clamped(to: start..<(start + length))
      if !header.isEmpty {
        pieces.append(.header(entry: index, Int(header.lowerBound - start)..<Int(header.upperBound - start)))
      }
      let first = start + length
      let contents = range.clamped(to: first..<(first + entries[index].size))
      if !contents.isEmpty {
        pieces.append(.contents(entry: index, (contents.lowerBound - first)..<(contents.upperBound - first)))
      }
    }
    let rest = range.clamped(to: directoryOffset..<size)
    if !rest.isEmpty {
      pieces.append(.directory((rest.lowerBound - directoryOffset)..<(rest.upperBound - directoryOffset)))
    }
    return pieces
  }

  /// The last entry that begins at or before `position`; 0 if there is none.
  private func firstEntry(reaching position: Int64) -> Int {
    var (low, high) = (0, offsets.count)
    while low < high {
      let middle = (low + high) / 2
      if offsets[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// True for a relative path of plain names that unpacks inside its folder on every system.
  private static func isSafe(_ name: String) -> Bool {
    guard let parts = FileComponent.split(name), name.utf8.count <= Int(UInt16.max) else { return false }
    return parts.allSatisfy { part in
      !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\\" || $0 == ":" }
    }
  }
}

/// Why entries cannot be a ZIP archive.
package enum ZIPProblem: Error, Hashable, Sendable {
  /// A name that is empty, absolute, too long, leads out of the archive, or cannot be unpacked on every system.
  case unsafeName(String)
  /// Two entries have the same name.
  case nameTwice(String)
  /// A negative length.
  case impossibleSize(name: String, size: Int64)
}

extension ZIPProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsafeName(let name):
      "\"\(name.prefix(80))\" cannot be a name in a ZIP archive; it must be a relative path of plain names"
    case .nameTwice(let name): "the archive would have two files \"\(name)\""
    case .impossibleSize(let name, let size): "\"\(name)\" cannot have \(size) bytes"
    }
  }
}
