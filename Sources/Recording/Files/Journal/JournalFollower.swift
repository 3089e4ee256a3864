import Machines

/// Reads a journal that may still grow: first the existing frames, later the frames added since.
///
/// Used from one thread at a time.
///
/// ```swift
/// var follower = try JournalFollower(folder: folder)
/// while let frame = try follower.next() { handle(frame) }
/// ```
package struct JournalFollower {
  private let storage: any JournalStorage
  private var reader = JournalReader()
  private var mending = JournalMending()
  /// Position at which damage was seen once; seeing it again confirms it.
  private var suspicion: Int64?
  /// Unreadable stretches of the journal that were skipped.
  package private(set) var damages: [JournalDamage] = []

  /// Bytes read at a time.
  private static let chunk = 262_144

  /// Follows the journal in `storage` from its beginning.
  package init(_ storage: any JournalStorage) {
    self.storage = storage
  }

  /// Follows the journal of the take in `folder`.
  package init(folder: TakeFolder) throws(FileProblem) {
    self.init(try JournalFile(openingIn: folder, forReadingOnly: true))
  }

  /// The journal's header; nil until a call of `next()` has read it.
  package var header: JournalHeader? { reader.header }
  /// The counts of the reader.
  package var missingFrames: Int { reader.missingFrames }
  package var unknownFrames: Int { reader.unknownFrames }
  /// The times between which frames could not be read. Known before the first frame behind them is returned.
  var losses: [ClosedRange<MonotonicTime>] { mending.losses }
  /// Bytes of the damaged stretches that were skipped.
  package var skippedBytes: Int64 { reader.skippedBytes }
  /// Bytes from the file's beginning to the end of the last whole frame.
  package var goodLength: Int64 { reader.goodLength }
  /// The place behind the last frame returned; exact as long as there is no damage.
  private(set) var place = JournalPlace()
  /// Bytes after the last whole frame that do not form a frame yet.
  package var pendingBytes: Int { reader.pendingBytes }

  /// Returns once all frames returned so far are on the disk.
  func sync() throws(FileProblem) { try storage.sync() }

  /// Returns the next frame; nil if the journal has no further whole frame at the moment.
  ///
  /// Damage in the middle is skipped and recorded in `damages`; a torn tail is simply not a frame yet. Repeated
  /// copies of earlier frames are not returned, but if the first was lost to damage, its contents come before the
  /// first frame that depends on them.
  ///
  /// - Parameter isComplete: true if the journal no longer grows. The beginning of a frame at its end is then damage
  ///   that frames may follow.
  /// - Throws: `FileProblem`, or `JournalDamage` if neither the header nor any copy of it is readable.
  package mutating func next(isComplete: Bool = false) throws -> JournalFrame? {
    while true {
      if let frame = mending.next() {
        place = JournalPlace(offset: reader.goodLength, chain: reader.chain)
        return frame
      }
      if let frame = try read(isComplete: isComplete) {
        mending.take(frame)
      } else {
        guard isComplete else { return nil }
        mending.give()
        return mending.next()
      }
    }
  }

  /// Returns the journal's next frame, including copies.
  private mutating func read(isComplete: Bool) throws -> JournalFrame? {
    while true {
      do throws(JournalDamage) {
        if let frame = try reader.next() { return frame }
      } catch {
        guard case .damagedFrame(let offset, _) = error else {
          guard let found = try JournalHeaderSearch.reader(for: storage) else { throw error }
          reader = found
          guard try skip(error) else { return nil }
          continue
        }
        if suspicion == offset {
          guard try skip(error) else { return nil }
        } else {
          suspicion = offset
          reader.discardPending()
        }
        continue
      }
      if try readOn() { continue }
      guard isComplete, reader.header != nil, reader.pendingBytes > 0 else { return nil }
      // The recovery may have put the journal's end in the place of a torn frame that was read before.
      guard suspicion == reader.goodLength else {
        suspicion = reader.goodLength
        reader.discardPending()
        continue
      }
      let torn = JournalDamage.damagedFrame(offset: reader.goodLength, reason: "a frame is torn")
      guard try skip(torn) else { return nil }
    }
  }

  /// Feeds the reader another chunk; false at the current end.
  private mutating func readOn() throws(FileProblem) -> Bool {
    let bytes = try storage.read(at: reader.readOffset, count: JournalFollower.chunk)
    guard !bytes.isEmpty else { return false }
    reader.feed(bytes)
    return true
  }

  /// Searches for the next whole frame; false if there is none yet.
  private mutating func skip(_ damage: JournalDamage) throws(FileProblem) -> Bool {
    while reader.skipDamage() == nil {
      guard try readOn() else { return false }
    }
    damages.append(damage)
    mending.noteDamage()
    suspicion = nil
    return true
  }
}

/// A place in a journal, and a fingerprint of all frames before it.
struct JournalPlace: Hashable, Sendable, Codable {
  /// In bytes from the beginning.
  var offset: Int64 = 0
  var chain: UInt64 = 0
}

/// Finds a copy of a journal's header if the header itself is damaged.
struct JournalHeaderSearch {
  /// Bytes read at a time.
  private static let chunk = 1 << 20

  /// A reader at the beginning of `storage` with the header from its first copy; nil if no copy is intact.
  static func reader(for storage: any JournalStorage) throws(FileProblem) -> JournalReader? {
    var window: [UInt8] = []
    // File offset of the start of the window.
    var start: Int64 = 0
    while true {
      let more = try storage.read(at: start + Int64(window.count), count: chunk)
      window += more
      // A copy may straddle the end of the window, unless that is the end of the file.
      let overlap = more.isEmpty ? 0 : JournalFormat.framePrefix + JournalFormat.longestHeader
      if let reader = JournalReader(findingHeaderIn: window.dropLast(overlap), of: window) { return reader }
      guard !more.isEmpty else { return nil }
      let done = max(0, window.count - overlap)
      window.removeFirst(done)
      start += Int64(done)
    }
  }
}
