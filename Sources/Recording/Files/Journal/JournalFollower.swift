/// Reads a journal that may still grow: the frames so far, later those that were added.
///
/// Used from one thread at a time.
package struct JournalFollower {
  private let storage: any JournalStorage
  private var reader = JournalReader()
  private var mending = JournalMending()
  /// Where damage was seen once; a second look that finds it again believes it.
  private var suspicion: Int64?
  /// Stretches of the journal that could not be read and were left out.
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

  /// The journal's header, once `next()` was called and the header was there.
  package var header: JournalHeader? { reader.header }
  /// The reader's counts.
  package var missingFrames: Int { reader.missingFrames }
  package var unknownFrames: Int { reader.unknownFrames }
  /// Bytes of the damaged stretches that were left out.
  package var skippedBytes: Int64 { reader.skippedBytes }
  /// Bytes from the file's beginning to the end of the last whole frame.
  package var goodLength: Int64 { reader.goodLength }
  /// Bytes behind the last whole frame that make none yet.
  package var pendingBytes: Int { reader.pendingBytes }

  /// The next frame, or nil where the journal has no further whole frame at the moment.
  ///
  /// Damage in the middle is left out and noted in `damages`; a torn tail is just not a frame yet.
  ///
  /// - Parameter isComplete: true where the journal grows no more, so that what looks like the beginning of a frame at
  ///   its end is damage, behind which frames may follow.
  /// Copies of what stands elsewhere are not handed over; where damage took the first, what they say comes before the
  /// first frame that rests on it.
  ///
  /// - Throws: `FileProblem`, or `JournalDamage` where the header cannot be read, nor any copy of it.
  package mutating func next(isComplete: Bool = false) throws -> JournalFrame? {
    while true {
      if let frame = mending.next() { return frame }
      if let frame = try read(isComplete: isComplete) {
        mending.take(frame)
      } else {
        guard isComplete else { return nil }
        mending.give()
        return mending.next()
      }
    }
  }

  /// The journal's next frame, copies too.
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
      let torn = JournalDamage.damagedFrame(offset: reader.goodLength, reason: "a frame is torn")
      guard try skip(torn) else { return nil }
    }
  }

  /// Feeds the reader another chunk; false at the end of what there is.
  private mutating func readOn() throws(FileProblem) -> Bool {
    let bytes = try storage.read(at: reader.readOffset, count: JournalFollower.chunk)
    guard !bytes.isEmpty else { return false }
    reader.feed(bytes)
    return true
  }

  /// Looks for the next whole frame in all that follows; false where there is none yet.
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

/// Finds a copy of a journal's header where the header itself is damaged.
struct JournalHeaderSearch {
  /// Bytes read at a time.
  private static let chunk = 1 << 20

  /// A reader at the beginning of `storage` that knows the header from its first copy; nil where no copy is whole.
  static func reader(for storage: any JournalStorage) throws(FileProblem) -> JournalReader? {
    var window: [UInt8] = []
    // Where in the file the window begins.
    var start: Int64 = 0
    while true {
      let more = try storage.read(at: start + Int64(window.count), count: chunk)
      window += more
      // A copy may lie across the window's end, unless that is the file's.
      let overlap = more.isEmpty ? 0 : JournalFormat.framePrefix + JournalFormat.longestHeader
      if let reader = JournalReader(findingHeaderIn: window.dropLast(overlap), of: window) { return reader }
      guard !more.isEmpty else { return nil }
      let done = max(0, window.count - overlap)
      window.removeFirst(done)
      start += Int64(done)
    }
  }
}
