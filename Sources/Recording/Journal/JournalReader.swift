import Machines

/// Reads a journal piece by piece, as it grows.
///
/// `next()` answers nil when it needs more bytes and throws when what it has can never become a frame. At the end of a
/// file that grows no more, `pendingBytes > 0` means a torn tail: cut the file to `goodLength`.
package struct JournalReader: Sendable {
  /// The journal's header, as soon as it has been fed and `next()` was called.
  package private(set) var header: JournalHeader?
  /// Bytes from the file's beginning to the end of the last whole frame.
  package private(set) var goodLength: Int64 = 0
  /// Frames of a kind, or with a body, that this release does not know; they were skipped.
  package private(set) var unknownFrames = 0
  /// Frames that the ordinals say were written but never arrived here.
  package private(set) var missingFrames = 0
  /// Bytes that `skipDamage()` left out.
  package private(set) var skippedBytes: Int64 = 0
  /// When the last whole frame happened.
  package private(set) var lastTime: MonotonicTime?

  private(set) var seed: UInt32?
  private(set) var lastOrdinal: UInt32 = 0
  private var buffer: [UInt8] = []
  /// Where in `buffer` the next frame begins.
  private var position = 0
  /// Bytes behind `position` in which `skipDamage()` has already looked in vain.
  private var searched = 0

  package init() {}

  /// A reader at the beginning of a journal whose header is damaged, which knows it from the first copy that begins in
  /// `places` of `bytes`; nil where there is none. What stands before the first whole frame is damage for it.
  init?(findingHeaderIn places: ArraySlice<UInt8>, of bytes: [UInt8]) {
    let magic = JournalFormat.magic
    for start in places.indices where bytes[start] == magic[0] && start >= JournalFormat.framePrefix {
      guard let found = try? JournalHeader.decode(bytes[start...]) else { continue }
      header = found.header
      seed = found.checksum
      // A song title may look like a header; only a frame of this journal has its checksum.
      buffer = Array(bytes[(start - JournalFormat.framePrefix)..<(start + found.length)])
      if case .sound(let prefix) = examine(at: 0), prefix.kind == JournalKind.headerRepeated.rawValue {
        buffer = []
        return
      }
      (header, seed, buffer) = (nil, nil, [])
    }
    return nil
  }

  /// Where in the file the bytes of the next `feed` must begin.
  package var readOffset: Int64 { goodLength + Int64(pendingBytes) }

  /// Bytes that were fed and make no whole frame yet.
  package var pendingBytes: Int { buffer.count - position }

  /// Takes the next bytes of the file, of any length.
  package mutating func feed(_ bytes: [UInt8]) {
    // Move the unread rest to the front, once per feed and not per frame.
    if position > 0 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Forgets what was fed beyond the last whole frame; feed again from `readOffset`.
  ///
  /// A follower does so before it believes in damage: the writer may have cut a half-written frame off again.
  package mutating func discardPending() {
    buffer.removeAll(keepingCapacity: true)
    position = 0
    searched = 0
  }

  /// The next frame, or nil where more bytes are needed; unknown kinds are skipped.
  ///
  /// - Throws: `JournalDamage`, again and again until `skipDamage()` or `discardPending()`.
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

  /// Looks for the next whole frame behind damage (or a torn frame) in what was fed, and goes on there.
  ///
  /// Returns how many bytes were left out, or nil where no whole frame follows in what was fed: feed more and call
  /// again, or give up.
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
        // It may be a frame that has not been fed as a whole: it will be looked at again.
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
    // Ordinals only ever rise (checked below): a jump means frames that the recorder could not write.
    missingFrames += Int(prefix.ordinal &- lastOrdinal) - 1
    lastOrdinal = prefix.ordinal
    lastTime = prefix.time
    let length = JournalFormat.framePrefix + prefix.length
    position += length
    goodLength += Int64(length)
  }
}

extension JournalReader {
  /// What stands before a frame's body.
  private struct Prefix {
    var length: Int
    var kind: UInt8
    var track: Int
    var ordinal: UInt32
    var time: MonotonicTime
  }

  /// What the bytes at a place of the buffer turn out to be.
  private enum Finding {
    case sound(Prefix)
    /// More bytes are needed.
    case unfinished
    case damaged(reason: String)
  }

  private func examine(at start: Int) -> Finding {
    let available = buffer.count - start
    guard available >= JournalFormat.framePrefix else { return .unfinished }
    // The three reads below stay in bounds by the guard above: 24 bytes from `start`.
    let (first, second, third) = buffer.withUnsafeBytes { bytes in
      (
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)),
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: Int64.self))
      )
    }
    let length = Int(first >> 32)
    guard length <= JournalFormat.maximumBody else {
      return .damaged(reason: "a frame claims \(length) bytes where \(JournalFormat.maximumBody) is the most")
    }
    let ordinal = UInt32(truncatingIfNeeded: second >> 32)
    let step = ordinal &- lastOrdinal
    guard step > 0, step < JournalFormat.maximumOrdinalStep else {
      return .damaged(reason: "frame \(ordinal) stands behind frame \(lastOrdinal)")
    }
    let end = JournalFormat.framePrefix + length
    guard available >= end else { return .unfinished }
    let sum = buffer.withUnsafeBytes { bytes in
      var sum = CRC32C(seed: seed ?? 0)
      sum.update(UnsafeRawBufferPointer(rebasing: bytes[(start + JournalFormat.checksumLength)..<(start + end)]))
      return sum.value
    }
    guard sum == UInt32(truncatingIfNeeded: first) else {
      return .damaged(reason: "the checksum of a frame of \(length) bytes does not fit its contents")
    }
    return .sound(
      Prefix(
        length: length, kind: UInt8(truncatingIfNeeded: second), track: Int(second >> 16 & 0xFFFF), ordinal: ordinal,
        time: MonotonicTime(nanoseconds: third)))
  }
}
