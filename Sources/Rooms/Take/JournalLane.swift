import DequeModule
import Machines
import Recording
import Synchronization

/// Transfers one take's journal from the media loop to the disk.
///
/// The loop appends, and the disk writer's threads write and sync; the lock is only held while a few pointers are
/// copied.
final class JournalLane: Sendable {
  /// A report of the disk writer about a lane.
  enum Report: Sendable {
    /// The first `size` bytes of the journal are on disk; their newest frame has the time `time`.
    case durable(size: Int64, time: MonotonicTime)
    /// Writing fails; pending data is kept and retried.
    case failing(FileProblem)
    /// Writing works again.
    case recovered
    /// The journal was deleted while the take rolled, and is now completely in this folder.
    case rescued(TakeFolder)
  }

  /// Maximum number of bytes waiting for the disk: some 30 s of three musicians at 510 kbit/s with all overheads.
  static let capacity = 8 << 20

  /// Disk space reserved ahead of the journal: ten minutes of three musicians at 256 kbit/s.
  private static let reserve: Int64 = 64 << 20
  /// Smallest reserve worth requesting.
  private static let leastReserve: Int64 = 1 << 20

  struct Chunk: Sendable {
    var bytes: [UInt8]
    /// Time of its newest frame.
    var time: MonotonicTime
  }

  private struct Pending {
    var chunks = Deque<Chunk>()
    var bytes = 0
    var isFailing = false
    /// Time of the newest frame written.
    var written: MonotonicTime?
    /// The journal size up to which disk space is reserved.
    var reserved: Int64 = 0
    var whenDrained: (@Sendable () -> Void)?
  }

  let storage: any JournalStorage
  private let pending = Mutex(Pending())
  private let rescue: Rescue
  private let report: @Sendable (Report) -> Void

  /// Moves a deleted journal to a folder again.
  typealias Rescue = @Sendable () throws(FileProblem) -> TakeFolder

  init(
    storage: any JournalStorage, rescue: @escaping Rescue, report: @escaping @Sendable (Report) -> Void
  ) {
    self.storage = storage
    self.rescue = rescue
    self.report = report
  }

  /// True if `count` more bytes may wait; false if the disk is too far behind. Where nothing waits, any number may:
  /// what a take has collected before its file existed comes at once.
  func hasRoom(for count: Int) -> Bool {
    pending.withLock { $0.bytes == 0 || $0.bytes + count <= JournalLane.capacity }
  }

  /// True if the last attempt to write failed.
  var isFailing: Bool { pending.withLock { $0.isFailing } }

  func append(_ chunk: Chunk) {
    pending.withLock { pending in
      pending.bytes += chunk.bytes.count
      pending.chunks.append(chunk)
    }
  }

  /// Calls `body` on the syncing thread once everything is on disk; nothing may be appended afterwards.
  func whenDrained(_ body: @escaping @Sendable () -> Void) {
    pending.withLock { $0.whenDrained = body }
  }

  /// Reserves more disk space once half of the reserve is used, so that another writer that fills the disk does not
  /// end the take.
  private func keepReserve(for count: Int64) {
    let end = storage.size + count
    guard pending.withLock({ $0.reserved }) - end < JournalLane.reserve / 2 else { return }
    var bytes = JournalLane.reserve
    while bytes >= JournalLane.leastReserve {
      // If there is not enough space, a smaller reserve is better than none. A failure does not affect the take; if
      // the file system does not support reserves, the next attempt comes after as many bytes.
      if (try? storage.reserve(count + bytes)) != nil { break }
      bytes /= 4
    }
    pending.withLock { $0.reserved = end + JournalLane.reserve }
  }

  /// Writes pending data, on the writer's thread; a process killed afterwards has lost none of it.
  /// - Returns: false if some is left because the write failed.
  func write() -> Bool {
    let chunks = pending.withLock { $0.chunks }
    guard let last = chunks.last else { return true }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(chunks.reduce(0) { $0 + $1.bytes.count })
    for chunk in chunks { bytes.append(contentsOf: chunk.bytes) }
    do throws(FileProblem) {
      keepReserve(for: Int64(bytes.count))
      try storage.append(bytes)
    } catch {
      fail(error)
      return false
    }
    pending.withLock { pending in
      pending.chunks.removeFirst(chunks.count)
      pending.bytes -= bytes.count
      pending.written = last.time
    }
    return true
  }

  /// Syncs written data, on the syncing thread; it then survives a power failure.
  /// - Returns: false if the sync failed.
  func sync() -> Bool {
    let (written, size) = (pending.withLock { $0.written }, storage.size)
    do throws(FileProblem) {
      try storage.sync()
      // A deleted journal exists only while it is open.
      if try !storage.isLinked { report(.rescued(try rescue())) }
    } catch {
      fail(error)
      return false
    }
    let (hadFailed, drained) = pending.withLock { pending -> (Bool, (@Sendable () -> Void)?) in
      let isEmpty = pending.chunks.isEmpty
      defer {
        // While bytes remain unwritten, the lane is still failing.
        if isEmpty { (pending.isFailing, pending.whenDrained) = (false, nil) }
      }
      return isEmpty ? (pending.isFailing, pending.whenDrained) : (false, nil)
    }
    if hadFailed { report(.recovered) }
    if let written { report(.durable(size: size, time: written)) }
    if let drained {
      // Nothing more follows. If the reserve cannot be released now, the deletion of the journal will release it.
      try? storage.releaseReserve()
      drained()
    }
    return true
  }

  /// True if somebody waits for the journal's end.
  var isEnding: Bool { pending.withLock { $0.whenDrained != nil } }

  private func fail(_ problem: FileProblem) {
    let isNew = pending.withLock { pending in
      defer { pending.isFailing = true }
      return !pending.isFailing
    }
    if isNew { report(.failing(problem)) }
  }
}
