import CZlib
import Foundation

/// Reads the entries of a ZIP archive (APPNOTE 6.3): stored or deflated, also beyond 4 GiB.
package struct ZIPReader {
  package struct Entry: Hashable, Sendable {
    /// Its path in the archive, with slashes.
    package var name: String
    /// In bytes, before compression.
    package var size: Int64
    fileprivate var compressedSize: Int64
    /// CRC-32 of its bytes before compression.
    fileprivate var sum: UInt32
    fileprivate var method: UInt16
    fileprivate var isEncrypted: Bool
    /// Where its local header begins.
    fileprivate var place: Int64
  }

  /// Most entries of an archive.
  private static let mostEntries = 10_000
  private static let longestDirectory: Int64 = 16 << 20
  /// Most bytes that one byte of a deflated entry may stand for: sound and manifests stay far below, bombs go to 1,000.
  private static let mostExpansion: Int64 = 100
  /// A small entry may be longer than that, in bytes.
  private static let harmless: Int64 = 1 << 20
  /// The end record and the longest comment behind it.
  private static let longestEnd: Int64 = 22 + 65_535

  package let entries: [Entry]
  private let file: Descriptor
  private let path: String

  /// Opens the archive `name` in `folder`.
  /// - Throws: `ImportProblem` if it is no archive that can be read; `FileProblem`.
  package init(_ name: String, in folder: TakeFolder) throws {
    try self.init(try folder.open(name), name, path: folder.label(name))
  }

  /// Opens an archive in memory.
  package init(copying bytes: [UInt8]) throws {
    let name = "an archive in memory"
    try self.init(Descriptor(copying: bytes, path: name), name, path: name)
  }

  private init(_ file: Descriptor, _ name: String, path: String) throws {
    (self.file, self.path) = (file, path)
    entries = try ZIPReader.directory(of: file, name)
  }

  private static func directory(of file: Descriptor, _ name: String) throws -> [Entry] {
    let problem = ImportProblem("\(name) is no ZIP archive that can be read; it may be cut off: compare its length")
    let length = try file.length(path: name)
    let tail = try file.read(
      at: max(0, length &- longestEnd), count: Int(min(length, longestEnd)), path: name)
    guard
      let end = stride(from: tail.count &- 22, through: 0, by: -1).first(where: { place in
        number(tail, place, 4) == 0x0605_4B50
      })
    else { throw problem }
    var count = number(tail, end &+ 10, 2)
    var size = number(tail, end &+ 12, 4)
    var place = number(tail, end &+ 16, 4)
    // The locator of the 64-bit record stands right before.
    if end >= 20, number(tail, end &- 20, 4) == 0x0706_4B50, number(tail, end &- 12, 8) < UInt64(length) {
      let record = try file.read(at: Int64(number(tail, end &- 12, 8)), count: 56, path: name)
      guard number(record, 0, 4) == 0x0606_4B50 else { throw problem }
      (count, size, place) = (number(record, 32, 8), number(record, 40, 8), number(record, 48, 8))
    }
    guard count <= UInt64(mostEntries), size <= UInt64(longestDirectory), place <= UInt64(length) else {
      throw problem
    }
    let bytes = try file.read(at: Int64(place), count: Int(size), path: name)
    var entries: [Entry] = []
    var at = 0
    while entries.count < Int(count) {
      guard number(bytes, at, 4) == 0x0201_4B50 else { throw problem }
      let (named, extra, comment) =
        (Int(number(bytes, at &+ 28, 2)), Int(number(bytes, at &+ 30, 2)), Int(number(bytes, at &+ 32, 2)))
      let start = at &+ 46
      guard start &+ named &+ extra &+ comment <= bytes.count else { throw problem }
      var entry = (
        size: number(bytes, at &+ 24, 4), compressed: number(bytes, at &+ 20, 4), place: number(bytes, at &+ 42, 4)
      )
      widen(&entry, bytes[(start &+ named)..<(start &+ named &+ extra)])
      guard let whole = Int64(exactly: entry.size), let compressed = Int64(exactly: entry.compressed),
        let local = Int64(exactly: entry.place), local < length, compressed <= length
      else { throw problem }
      entries.append(
        Entry(
          name: String(decoding: bytes[start..<(start &+ named)], as: UTF8.self), size: whole,
          compressedSize: compressed, sum: UInt32(truncatingIfNeeded: number(bytes, at &+ 16, 4)),
          method: UInt16(truncatingIfNeeded: number(bytes, at &+ 10, 2)),
          isEncrypted: number(bytes, at &+ 8, 2) & 1 != 0, place: local))
      at = start &+ named &+ extra &+ comment
    }
    // Entries that share their bytes make an archive of any length out of a short one.
    let places = entries.sorted { $0.place < $1.place }
    guard zip(places, places.dropFirst()).allSatisfy({ $0.place &+ $0.compressedSize < $1.place }) else {
      throw problem
    }
    return entries
  }

  /// Replaces numbers that do not fit by those of the extra field for 64 bits (section 4.5.3).
  private static func widen(
    _ entry: inout (size: UInt64, compressed: UInt64, place: UInt64), _ extra: ArraySlice<UInt8>
  ) {
    let extra = Array(extra)
    var at = 0
    while at &+ 4 <= extra.count {
      let length = Int(number(extra, at &+ 2, 2))
      if number(extra, at, 2) == 1 {
        var place = at &+ 4
        for field in [\(size: UInt64, compressed: UInt64, place: UInt64).size, \.compressed, \.place]
        where entry[keyPath: field] == 0xFFFF_FFFF && place &+ 8 <= extra.count {
          entry[keyPath: field] = number(extra, place, 8)
          place &+= 8
        }
      }
      at &+= length &+ 4
    }
  }

  /// A number of little-endian bytes; 0 of bytes that are not there.
  private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
    guard place >= 0, place &+ count <= bytes.count else { return 0 }
    return bytes[place..<(place &+ count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Contents

  /// The bytes of an entry. Its last stretch is only returned if length and checksum are those of the archive.
  /// - Throws: `ImportProblem` for an encrypted entry or another method; `FileProblem`. So does reading the bytes.
  package func bytes(of entry: Entry) throws -> SequentialBytes {
    let header = try file.read(at: entry.place, count: 30, path: path)
    guard ZIPReader.number(header, 0, 4) == 0x0403_4B50 else {
      throw ImportProblem("the archive is damaged: it has no \(entry.name)", isDamage: true)
    }
    guard !entry.isEncrypted, [0, 8].contains(entry.method) else {
      throw ImportProblem("\(entry.name) is encrypted or compressed in an uncommon way; unpack the archive")
    }
    guard entry.method == 0 || entry.size <= max(ZIPReader.harmless, entry.compressedSize &* ZIPReader.mostExpansion)
    else {
      throw ImportProblem(
        "\(entry.name) would become more than \(ZIPReader.mostExpansion) times as long; if it is right, unpack the archive"
      )
    }
    let start =
      entry.place &+ 30 &+ Int64(ZIPReader.number(header, 26, 2)) &+ Int64(ZIPReader.number(header, 28, 2))
    let raw = SequentialBytes(file, range: start..<(start &+ entry.compressedSize), path: path)
    let inflation = entry.method == 8 ? try Inflation(raw, limit: entry.size, name: entry.name) : nil
    var check = Check(of: entry)
    return SequentialBytes {
      let bytes = try inflation?.next() ?? raw.some()
      try check.add(bytes)
      return bytes
    }
  }

  /// Compares an entry with what the archive says about it (APPNOTE 4.4.7).
  private struct Check {
    private let entry: Entry
    private var length: Int64 = 0
    private var sum: UInt32 = 0
    private var isOver = false

    init(of entry: Entry) {
      self.entry = entry
    }

    /// - Parameter bytes: the next ones; none at the end.
    mutating func add(_ bytes: [UInt8]) throws(ImportProblem) {
      length &+= Int64(bytes.count)
      if !bytes.isEmpty { sum = UInt32(truncatingIfNeeded: crc32_z(UInt(sum), bytes, bytes.count)) }
      guard !isOver, length >= entry.size || bytes.isEmpty else { return }
      isOver = true
      guard length == entry.size, sum == entry.sum else {
        throw ImportProblem(
          "the archive is damaged: \(entry.name) is not what its checksum is of; fetch the archive again",
          isDamage: true)
      }
    }
  }
}

/// Decompresses an entry as it is read, and no further than to the length that the archive promises.
private final class Inflation {
  private static let stretch = 1 << 16

  private let input: SequentialBytes
  private let name: String
  private var left: Int64
  private var isAtEnd = false
  /// Kept at one address: zlib compares it.
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ input: SequentialBytes, limit: Int64, name: String) throws(ImportProblem) {
    (self.input, self.name, left) = (input, name, limit)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A negative window stands for a stream without zlib's header.
    guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      // `deinit` follows.
      throw ImportProblem("there is no memory to decompress \(name)")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// The input that zlib has not taken yet.
  private var pending: [UInt8] = []

  func next() throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: Inflation.stretch)
    while !isAtEnd, left > 0 {
      if pending.isEmpty { pending = try input.some() }
      let taken = pending.count
      let (status, rest, free) = pending.withUnsafeMutableBufferPointer { pending in
        output.withUnsafeMutableBufferPointer { output in
          stream.pointee.next_in = pending.baseAddress
          stream.pointee.avail_in = UInt32(clamping: pending.count)
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(clamping: output.count)
          let status = inflate(stream, Z_NO_FLUSH)
          return (status, Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
        }
      }
      pending.removeFirst(pending.count &- rest)
      isAtEnd = status == Z_STREAM_END
      guard isAtEnd || status == Z_OK, taken > 0 || free < output.count else {
        throw ImportProblem("the archive is damaged: \(name) cannot be decompressed", isDamage: true)
      }
      let count = Int(min(Int64(output.count &- free), left))
      left &-= Int64(count)
      if count > 0 { return Array(output.prefix(count)) }
    }
    return []
  }
}
