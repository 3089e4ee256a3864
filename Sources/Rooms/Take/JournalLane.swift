import DequeModule
import Machines
import Recording
import Synchronization

/// One take's journal on its way from the media loop to the disk.
///
/// The loop appends, the disk writer's threads write and sync; nobody ever waits for another longer than for a few
/// pointers.
final class JournalLane: Sendable {
  /// What the disk writer tells of a lane.
  enum Report: Sendable {
    /// Everything up to the journal size `size` is on the disk; the newest of it happened at `time`.
    case durable(size: Int64, time: MonotonicTime)
    /// Writing fails; what is pending is kept and tried again.
    case failing(FileProblem)
    /// Writing works again.
    case recovered
    /// The journal was deleted while the take rolls, and lies with all its bytes in this folder now.
    case rescued(TakeFolder)
  }

  /// Bytes that wait for the disk at most: some 30 s of three musicians at 510 kbit/s with all overheads.
  static let capacity = 8 << 20

  /// Disk space that is kept ahead of the journal: ten minutes of three musicians at 256 kbit/s.
  private static let reserve: Int64 = 64 << 20
  /// Less than this is not worth asking for.
  private static let leastReserve: Int64 = 1 << 20

  struct Chunk: Sendable {
    var bytes: [UInt8]
    /// When the newest frame in it happened.
    var time: MonotonicTime
  }

  private struct Pending {
    var chunks = Deque<Chunk>()
    var bytes = 0
    var isFailing = false
    /// When the newest frame happened that was written.
    var written: MonotonicTime?
    /// The journal size up to which disk space is set aside.
    var reserved: Int64 = 0
    var whenDrained: (@Sendable () -> Void)?
  }

  let storage: any JournalStorage
  private let pending = Mutex(Pending())
  private let rescue: Rescue
  private let report: @Sendable (Report) -> Void

  /// Puts a journal that was deleted into a folder again.
  typealias Rescue = @Sendable () throws(FileProblem) -> TakeFolder

  init(
    storage: any JournalStorage, rescue: @escaping Rescue, report: @escaping @Sendable (Report) -> Void
  ) {
    self.storage = storage
    self.rescue = rescue
    self.report = report
  }

  /// Whether `count` bytes more may wait; where not, the disk is too far behind.
  func hasRoom(for count: Int) -> Bool {
    pending.withLock { $0.bytes + count <= JournalLane.capacity }
  }

  /// The last try to write failed.
  var isFailing: Bool { pending.withLock { $0.isFailing } }

  func append(_ chunk: Chunk) {
    pending.withLock { pending in
      pending.bytes += chunk.bytes.count
      pending.chunks.append(chunk)
    }
  }

  /// Calls `body` on the syncing thread once everything is on the disk; nothing may be appended after this.
  func whenDrained(_ body: @escaping @Sendable () -> Void) {
    pending.withLock { $0.whenDrained = body }
  }

  /// Sets disk space aside once half of what was is used, so that a render or a neighbour that fills the disk does not
  /// end the take.
  private func keepReserve(for count: Int64) {
    let end = storage.size + count
    guard pending.withLock({ $0.reserved }) - end < JournalLane.reserve / 2 else { return }
    var bytes = JournalLane.reserve
    while bytes >= JournalLane.leastReserve {
      // Where there is no room for all of it, some of it is better than nothing; a refusal takes nothing from the take,
      // and where the file system knows no reserve the next try is due after as many bytes.
      if (try? storage.reserve(count + bytes)) != nil { break }
      bytes /= 4
    }
    pending.withLock { $0.reserved = end + JournalLane.reserve }
  }

  /// Writes what is pending, on the writer's thread: a process that is killed after this has lost none of it.
  /// - Returns: false when something is left because the disk refused.
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

  /// Syncs what was written, on the syncing thread: the machine may lose its power after this.
  /// - Returns: false when the disk refused.
  func sync() -> Bool {
    let (written, size) = (pending.withLock { $0.written }, storage.size)
    do throws(FileProblem) {
      try storage.sync()
      // What was deleted lives only as long as it is open.
      if try !storage.isLinked { report(.rescued(try rescue())) }
    } catch {
      fail(error)
      return false
    }
    let (hadFailed, drained) = pending.withLock { pending -> (Bool, (@Sendable () -> Void)?) in
      let isEmpty = pending.chunks.isEmpty
      defer {
        // With bytes that the writer could not write yet it goes on failing.
        if isEmpty { (pending.isFailing, pending.whenDrained) = (false, nil) }
      }
      return isEmpty ? (pending.isFailing, pending.whenDrained) : (false, nil)
    }
    if hadFailed { report(.recovered) }
    if let written { report(.durable(size: size, time: written)) }
    if let drained {
      // Nothing more comes. What cannot be given back now comes back with the journal's deletion.
      try? storage.releaseReserve()
      drained()
    }
    return true
  }

  /// True when somebody waits for the journal's end.
  var isEnding: Bool { pending.withLock { $0.whenDrained != nil } }

  private func fail(_ problem: FileProblem) {
    let isNew = pending.withLock { pending in
      defer { pending.isFailing = true }
      return !pending.isFailing
    }
    if isNew { report(.failing(problem)) }
  }
}
