import Dispatch
import Logging
import Music
import Recording
import Signaling
import Synchronization

/// Stores the rooms' persistent objects on disk: in the order of changes, outside the rooms' loops, with all changes
/// of a short interval in one write and one sync.
final class SharedStateStore: Sendable {
  /// Interval for collecting changes; including the write, a change is on disk within 100 ms.
  private static let gathering = DispatchTimeInterval.milliseconds(50)
  /// Delay before a failed write is retried.
  private static let retry = DispatchTimeInterval.seconds(1)
  /// A file is rewritten when it has doubled in length since the last time, but not while it is shorter than this.
  private static let worthShortening = 4 << 20
  /// Number of waiting changes of a room beyond which overwritten ones are dropped.
  private static let worthFolding = 1_000

  private struct State {
    var pending: [RoomName: [SharedObjectRecord]] = [:]
    var isScheduled = false
    /// Length of each room's file when it was read or rewritten.
    var lengths: [RoomName: Int] = [:]
    var isFailing = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "shared-state")
  private let root: String
  private let logger: Logger

  /// - Parameter root: the data folder.
  init(recordings root: String, logger: Logger) {
    self.root = root
    self.logger = logger
  }

  /// Queues a change to be written soon, without waiting.
  func keep(_ record: SharedObjectRecord, of room: RoomName) {
    let isFirst = state.withLock { state in
      state.pending[room, default: []].append(record)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule(after: SharedStateStore.gathering) }
  }

  /// Returns the persistent objects of a room, including all changes before this call.
  /// - Throws: `RoomRefusal` `.storage`; the log has details.
  func load(_ room: RoomName) async throws(RoomRefusal) -> [SharedObject] {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.read(room)) }
    }
    do {
      return try result.get()
    } catch {
      logger.error("shared objects cannot be read", metadata: ["room": "\(room)", "error": "\(error)"])
      throw RoomRefusal(.storage, "the room's shared objects cannot be read; see the service's log")
    }
  }

  /// Writes all pending changes; returns when they are on disk or the write has failed.
  func settle() async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.flush()
        continuation.resume()
      }
    }
  }

  private func schedule(after interval: DispatchTimeInterval) {
    queue.asyncAfter(deadline: .now() + interval) { self.flush() }
  }

  // MARK: On the queue

  private func read(_ room: RoomName) -> Result<[SharedObject], any Error> {
    flush()
    do {
      let file = try SharedStateFile(of: room, in: root)
      var contents = try file.read()
      let unwritten = state.withLock { state in
        state.lengths[room] = contents.length
        return state.pending[room] ?? []
      }
      if contents.damagedLines > 0 {
        logger.error(
          "lines of shared objects cannot be read; the file is kept with the ending .damaged",
          metadata: ["room": "\(room)", "file": "\(file.name)", "lines": "\(contents.damagedLines)"])
        try file.setAside()
        try shorten(file, contents)
      }
      // Changes that could not be written are still valid.
      for record in unwritten { contents.objects.replay(record) }
      return .success(Array(contents.objects.values))
    } catch {
      return .failure(error)
    }
  }

  private func flush() {
    let pending = state.withLock { state in
      defer { state.pending = [:] }
      state.isScheduled = false
      return state.pending
    }
    for (room, records) in pending {
      do {
        let file = try SharedStateFile(of: room, in: root)
        let length = try file.append(records)
        recovered()
        let former = state.withLock { $0.lengths[room] ?? 0 }
        if length > max(SharedStateStore.worthShortening, 2 * former) { try shorten(file, try file.read()) }
      } catch {
        refused(records, of: room, error)
      }
    }
  }

  private func shorten(_ file: SharedStateFile, _ contents: SharedStateFile.Contents) throws(FileProblem) {
    let length = try file.replace(contents.objects)
    state.withLock { $0.lengths[file.room] = length }
  }

  /// Queues failed changes again, before those made since.
  private func refused(_ records: [SharedObjectRecord], of room: RoomName, _ problem: any Error) {
    let isNews = state.withLock { state in
      let waiting = records + (state.pending[room] ?? [])
      // Even if the disk is full for hours, memory stays within the size of the objects.
      state.pending[room] = waiting.count > SharedStateStore.worthFolding ? SharedObjectRecord.folded(waiting) : waiting
      state.isScheduled = true
      defer { state.isFailing = true }
      return !state.isFailing
    }
    if isNews {
      logger.error("shared objects cannot be written", metadata: ["room": "\(room)", "error": "\(problem)"])
    }
    schedule(after: SharedStateStore.retry)
  }

  private func recovered() {
    let isNews = state.withLock { state in
      defer { state.isFailing = false }
      return state.isFailing
    }
    if isNews { logger.notice("shared objects are written again") }
  }
}
