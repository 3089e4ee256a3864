// Arithmetic in this file is in range: lengths are compared with `maximumBody` first, places lie in the buffer.

import Machines

/// Reads a journal piece by piece, as it grows.
///
/// `next()` returns nil when it needs more bytes and throws when its bytes can never become a frame. At the end of a
/// file that no longer grows, `pendingBytes > 0` means a torn tail: truncate the file to `goodLength`.
///
/// ```swift
/// var reader = JournalReader()
/// reader.feed(bytes)
/// while let frame = try reader.next() { handle(frame) }
/// ```
package struct JournalReader: Sendable {
  /// The journal's header, once it has been fed and `next()` was called.
  package private(set) var header: JournalHeader?
  /// Bytes from the file's beginning to the end of the last whole frame.
  package private(set) var goodLength: Int64 = 0
  /// Frames skipped because this release does not know their kind or body.
  package private(set) var unknownFrames = 0
  /// Frames missing from the sequence of ordinals.
  package private(set) var missingFrames = 0
  /// Bytes skipped by `skipDamage()`.
  package private(set) var skippedBytes: Int64 = 0
  /// Time of the last whole frame.
  package private(set) var lastTime: MonotonicTime?

  private(set) var seed: UInt32?
  private(set) var lastOrdinal: UInt32 = 0
  /// Grows out of the checksums of all whole frames so far, in order: FNV-1a.
  private(set) var chain: UInt64 = 0xCBF2_9CE4_8422_2325
  private var buffer: [UInt8] = []
  /// Index in `buffer` of the next frame.
  private var position = 0
  /// Bytes after `position` that `skipDamage()` has already searched in vain.
  private var searched = 0

  package init() {}

  /// Creates a reader at the beginning of a journal with a damaged header, using the first copy that begins in
  /// `places` of `bytes`; nil if there is none. Everything before the first whole frame counts as damage.
  init?(findingHeaderIn places: ArraySlice<UInt8>, of bytes: [UInt8]) {
    let magic = JournalFormat.magic
    for start in places.indices where bytes[start] == magic[0] && start >= JournalFormat.framePrefix {
      guard let found = try? JournalHeader.decode(bytes[start...]) else { continue }
      header = found.header
      seed = found.checksum
      // A song title may look like a header; only a frame of this journal has a matching checksum.
      buffer = Array(bytes[(start - JournalFormat.framePrefix)..<(start + found.length)])
      if case .sound(let prefix) = examine(at: 0), prefix.kind == JournalKind.headerRepeated.rawValue {
        buffer = []
        return
      }
      (header, seed, buffer) = (nil, nil, [])
    }
    return nil
  }

  /// File offset at which the bytes of the next `feed` must begin.
  package var readOffset: Int64 { goodLength + Int64(pendingBytes) }

  /// Bytes fed that do not form a whole frame yet.
  package var pendingBytes: Int { buffer.count - position }

  /// Adds the next bytes of the file, of any length.
  package mutating func feed(_ bytes: [UInt8]) {
    // The unread rest moves to the front once per feed rather than per frame.
    if position > 0 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Discards the bytes fed beyond the last whole frame; feed again from `readOffset`.
  ///
  /// A follower does this before it accepts damage, since the writer may have removed a partial frame.
  package mutating func discardPending() {
    buffer.removeAll(keepingCapacity: true)
    position = 0
    searched = 0
  }

  /// Returns the next frame, or nil if more bytes are needed; unknown kinds are skipped.
  ///
  /// - Throws: `JournalDamage`, repeatedly until `skipDamage()` or `discardPending()`.
  package mutating func next() throws(JournalDamage) -> JournalFrame? {
    guard try readHeader() else { return nil }
    while true {
      let prefix: Prefix
      switch examine(at: position) {
      case .sound(let found): prefix = found
      case .unfinished: return nil
      case .damaged(let reason): throw .damagedFrame(offset: goodLength, reason: reason)
      }
      let bodyStart = position + JournalFormat.framePrefix
      let body = buffer[bodyStart..<bodyStart + prefix.length]
      accept(prefix)
      guard let kind = JournalKind(rawValue: prefix.kind),
        let frame = try? JournalFrame(kind: kind, track: prefix.track, time: prefix.time, body: body)
      else {
        unknownFrames += 1
        continue
      }
      return frame
    }
  }

  /// Searches the bytes fed for the next whole frame after damage (or a torn frame), and continues there.
  ///
  /// Returns the number of bytes skipped, or nil if they contain no whole frame: feed more and call again, or give
  /// up.
  package mutating func skipDamage() -> Int64? {
    guard header != nil, pendingBytes > JournalFormat.framePrefix else { return nil }
    var firstUnfinished: Int?
    var candidate = position + max(1, searched)
    while candidate + JournalFormat.framePrefix <= buffer.count {
      switch examine(at: candidate) {
      case .sound:
        let skipped = Int64(candidate - position)
        position = candidate
        goodLength += skipped
        skippedBytes += skipped
        searched = 0
        return skipped
      case .unfinished:
        // It may be a frame that has not been fed completely: look at it again later.
        firstUnfinished = firstUnfinished ?? candidate
      case .damaged:
        break
      }
      candidate += 1
    }
    searched = (firstUnfinished ?? candidate) - position
    return nil
  }

  private mutating func readHeader() throws(JournalDamage) -> Bool {
    if header != nil { return true }
    guard let found = try JournalHeader.decode(buffer[position...]) else { return false }
    header = found.header
    seed = found.checksum
    position += found.length
    goodLength += Int64(found.length)
    return true
  }

  private mutating func accept(_ prefix: Prefix) {
    // Ordinals only ever rise (checked below): a gap means frames that the recorder could not write.
    missingFrames += Int(prefix.ordinal &- lastOrdinal) - 1
    lastOrdinal = prefix.ordinal
    lastTime = prefix.time
    chain = (chain ^ UInt64(prefix.checksum)) &* 0x0000_0100_0000_01B3
    let length = JournalFormat.framePrefix + prefix.length
    position += length
    goodLength += Int64(length)
  }
}

extension JournalReader {
  /// The prefix of a frame.
  private struct Prefix {
    var length: Int
    var kind: UInt8
    var track: Int
    var ordinal: UInt32
    var time: MonotonicTime
    var checksum: UInt32
  }

  /// The interpretation of the bytes at a position of the buffer.
  private enum Finding {
    case sound(Prefix)
    /// More bytes are needed.
    case unfinished
    case damaged(reason: String)
  }

  private func examine(at start: Int) -> Finding {
    let available = buffer.count - start
    guard available >= JournalFormat.framePrefix else { return .unfinished }
    // The guard above keeps the three reads below in bounds: 24 bytes from `start`.
    let (first, second, third) = buffer.withUnsafeBytes { bytes in
      (
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)),
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: Int64.self))
      )
    }
    let length = Int(first >> 32)
    guard length <= JournalFormat.maximumBody else {
      return .damaged(reason: "a frame claims \(length) bytes; the maximum is \(JournalFormat.maximumBody)")
    }
    let ordinal = UInt32(truncatingIfNeeded: second >> 32)
    let step = ordinal &- lastOrdinal
    guard step > 0, step < JournalFormat.maximumOrdinalStep else {
      return .damaged(reason: "frame \(ordinal) comes after frame \(lastOrdinal)")
    }
    let end = JournalFormat.framePrefix + length
    guard available >= end else { return .unfinished }
    let sum = buffer.withUnsafeBytes { bytes in
      var sum = CRC32C(seed: seed ?? 0)
      sum.update(UnsafeRawBufferPointer(rebasing: bytes[(start + JournalFormat.checksumLength)..<(start + end)]))
      return sum.value
    }
    guard sum == UInt32(truncatingIfNeeded: first) else {
      return .damaged(reason: "the checksum of a frame of \(length) bytes does not match its contents")
    }
    return .sound(
      Prefix(
        length: length, kind: UInt8(truncatingIfNeeded: second), track: Int(second >> 16 & 0xFFFF), ordinal: ordinal,
        time: MonotonicTime(nanoseconds: third), checksum: sum))
  }
}
