import Machines
import Music
import Recording
import Synchronization

extension FuzzTarget {
  /// A journal. The first byte says what the rest is: 0 the whole file, 1 the end of a file with a good header, and
  /// otherwise the bodies of frames (kind, track, seconds, and a block each), which get a good prefix and checksum:
  /// random bytes would never get past that.
  static let journal = FuzzTarget("journal", longest: 32_768) { bytes in
    var input = FuzzInput(bytes)
    let journal: [UInt8] =
      switch input.byte() {
      case 0: input.remainder()
      case 1: head + input.remainder()
      default: sealed(&input)
      }
    try read(journal, by: journal.count / 7 + 1)
    let disk = JournalInMemory(journal)
    if let recovery = try? JournalRecovery.recover(disk) {
      try promise(recovery.cutBytes <= Int64(journal.count), "more was cut off than there was")
      let again = try JournalRecovery.recover(disk)
      try promise(again.wasClosed && again.cutBytes == 0, "a recovered journal is recovered again")
    }
    var follower = JournalFollower(JournalInMemory(journal))
    var frames = 0
    while (try? follower.next(isComplete: true)) ?? nil != nil {
      frames += 1
      // Mending gives a lost track's copy besides, once for each.
      try promise(frames <= 2 * (journal.count / 24 + 1), "\(journal.count) bytes gave \(frames) frames")
    }
  }

  /// Reads a journal in pieces, and writes its frames again.
  private static func read(_ journal: [UInt8], by piece: Int) throws {
    guard let header else { throw FuzzFault("there is no header") }
    var reader = JournalReader()
    var writer = JournalWriter(header: header)
    var frames: [JournalFrame] = []
    var rest = journal[...]
    while true {
      do {
        while let frame = try reader.next() {
          frames.append(frame)
          writer.append(frame)
        }
      } catch {
        if reader.skipDamage() != nil { continue }
      }
      if rest.isEmpty { break }
      reader.feed(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    try promise(reader.readOffset <= Int64(journal.count), "more was read than there was")
    try promise(frames.count <= journal.count / 24, "\(journal.count) bytes gave \(frames.count) frames")
    // Long texts are cut when they are written, so the frames need not be equal, but there must be as many.
    var again = JournalReader()
    again.feed(writer.take())
    var count = 0
    while try again.next() != nil { count += 1 }
    try promise(count + writer.refusedFrames == frames.count, "\(frames.count) frames became \(count)")
  }

  private static let header: JournalHeader? = RoomName("fuzz").map { room in
    let id = ULID(high: 0x01A1_FC0B_E380_ABCD, low: 1)
    return JournalHeader(
      take: TakeID(id), number: 1, room: room, session: SessionID(id),
      startedAt: WallTime(milliseconds: 1_795_229_769_123), zero: MonotonicTime(nanoseconds: 5_000_000_000),
      software: "fuzz")
  }

  /// The header's bytes, which end with its checksum.
  private static let head: [UInt8] =
    header.map { header in
      var writer = JournalWriter(header: header)
      return writer.take()
    } ?? []

  private static func sealed(_ input: inout FuzzInput) -> [UInt8] {
    let seed = head.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    var journal = head
    for ordinal in 1...UInt32(2_000) {
      let (kind, track, seconds) = (input.byte(), input.byte(), input.byte())
      guard let body = input.block() else { break }
      // 255 stands for the end of time.
      let time = seconds == 255 ? Int64.max : Int64(seconds) * 1_000_000_000
      var frame: [UInt8] = []
      append(UInt64(body.count), 4, to: &frame)
      frame += [kind, 0, track, 0]
      append(UInt64(ordinal), 4, to: &frame)
      append(UInt64(bitPattern: time), 8, to: &frame)
      frame += body
      append(UInt64(CRC32C.of(frame, seed: seed)), 4, to: &journal)
      journal += frame
    }
    return journal
  }

  private static func append(_ number: UInt64, _ octets: UInt64, to bytes: inout [UInt8]) {
    for octet in 0..<octets { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * octet))) }
  }
}

/// The storage of a journal that is written nowhere.
private final class JournalInMemory: JournalStorage {
  private let bytes: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) {
    self.bytes = Mutex(bytes)
  }

  var size: Int64 { bytes.withLock { Int64($0.count) } }
  var isLinked: Bool { true }
  func append(_ more: [UInt8]) throws(FileProblem) { bytes.withLock { $0 += more } }
  func sync() throws(FileProblem) {}
  func reserve(_ bytes: Int64) throws(FileProblem) {}
  func releaseReserve() throws(FileProblem) {}

  func truncate(to size: Int64) throws(FileProblem) {
    bytes.withLock { $0.removeLast(max(0, $0.count - Int(clamping: size))) }
  }

  func read(at offset: Int64, count: Int) throws(FileProblem) -> [UInt8] {
    bytes.withLock { Array($0.dropFirst(Int(clamping: offset)).prefix(count)) }
  }
}
