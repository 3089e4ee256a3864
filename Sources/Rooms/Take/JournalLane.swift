import DequeModule
import Machines
import Recording
import Synchronization

/// One take's journal on its way from the media loop to the disk.
///
/// The loop appends, the disk writer's thread takes; neither ever waits for the other longer than for a few pointers.
final class JournalLane: Sendable {
  /// What the disk writer tells of a lane.
  enum Report: Sendable {
    /// Everything up to the journal size `size` is on the disk; the newest of it happened at `time`.
    case durable(size: Int64, time: MonotonicTime)
    /// Writing fails; what is pending is kept and tried again.
    case failing(FileProblem)
    /// Writing works again.
    case recovered
  }

  /// Bytes that wait for the disk at most: some 30 s of three musicians at 510 kbit/s with all overheads.
  static let capacity = 8 << 20

  struct Chunk: Sendable {
    var bytes: [UInt8]
    /// When the newest frame in it happened.
    var time: MonotonicTime
  }

  private struct Pending {
    var chunks = Deque<Chunk>()
    var bytes = 0
    var isFailing = false
    var whenDrained: (@Sendable () -> Void)?
  }

  let storage: any JournalStorage
  private let pending = Mutex(Pending())
  private let report: @Sendable (Report) -> Void

  init(storage: any JournalStorage, report: @escaping @Sendable (Report) -> Void) {
    self.storage = storage
    self.report = report
  }

  /// Whether `count` bytes more may wait; where not, the disk is too far behind.
  func hasRoom(for count: Int) -> Bool {
    pending.withLock { $0.bytes + count <= JournalLane.capacity }
  }

  func append(_ chunk: Chunk) {
    pending.withLock { pending in
      pending.bytes += chunk.bytes.count
      pending.chunks.append(chunk)
    }
  }

  /// Calls `body` on the writer's thread once everything appended so far is on the disk.
  func whenDrained(_ body: @escaping @Sendable () -> Void) {
    pending.withLock { $0.whenDrained = body }
  }

  /// Writes and syncs what is pending, on the writer's thread.
  /// - Returns: false when something is left because the disk refused.
  func drain() -> Bool {
    let chunks = pending.withLock { $0.chunks }
    if let last = chunks.last {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(chunks.reduce(0) { $0 + $1.bytes.count })
      for chunk in chunks { bytes.append(contentsOf: chunk.bytes) }
      do throws(FileProblem) {
        try storage.append(bytes)
        pending.withLock { pending in
          pending.chunks.removeFirst(chunks.count)
          pending.bytes -= bytes.count
        }
        try storage.sync()
      } catch {
        let isNew = pending.withLock { pending in
          defer { pending.isFailing = true }
          return !pending.isFailing
        }
        if isNew { report(.failing(error)) }
        return false
      }
      let hadFailed = pending.withLock { pending in
        defer { pending.isFailing = false }
        return pending.isFailing
      }
      if hadFailed { report(.recovered) }
      report(.durable(size: storage.size, time: last.time))
    }
    let drained = pending.withLock { pending -> (@Sendable () -> Void)? in
      guard pending.chunks.isEmpty else { return nil }
      defer { pending.whenDrained = nil }
      return pending.whenDrained
    }
    drained?()
    return true
  }
}
