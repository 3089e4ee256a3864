import Library
import Logging
import Music
import NIOPosix
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// The backing tracks of all rooms: received, decoded once in a process of its own, and kept until somebody deletes them.
///
/// All persistent state are the notes in their folders, which are read at the start.
final class Backings: NamedService {
  struct State {
    var notes: [BackingID: BackingFile.Note] = [:]
    /// Backing tracks that are being received or decoded, by room.
    var pending: [RoomName: Int] = [:]
    /// Work for the thread that waits for decoders.
    var queue: [@Sendable () -> Void] = []
    var isStopping = false
  }

  /// Most backing tracks of a room.
  static let perRoom = 8

  let broker: Broker
  let jobs: JobRunner
  /// The data folder.
  let recordings: String
  /// Takes come first.
  let reserve: DiskReserve
  let logger: Logger
  let state = Mutex(State())
  private let worker = Mutex<ExportWorker?>(nil)

  /// - Parameter reserve: bytes to keep free on the disk.
  init(broker: Broker, jobs: JobRunner, reserve: Int64, logger: Logger) {
    self.broker = broker
    self.jobs = jobs
    recordings = jobs.root
    self.reserve = DiskReserve(recordings: jobs.root, bytes: reserve)
    self.logger = logger
  }

  /// Reads what is on the disk, and removes what was not finished; must run before the first request.
  func load() async {
    let recordings = recordings
    do {
      let notes = try await NIOThreadPool.singleton.runIfActive { [self] in try sweep(recordings) }
      state.withLock { state in for note in notes { state.notes[note.backing.id] = note } }
    } catch {
      logger.error("backing tracks cannot be read", metadata: ["error": "\(error)"])
    }
  }

  private func sweep(_ recordings: String) throws(FileProblem) -> [BackingFile.Note] {
    let root = try TakeFolder.obtain(BackingFile.root, in: recordings)
    var notes: [BackingFile.Note] = []
    for room in try root.names() {
      let path = "\(BackingFile.root)/\(room)"
      guard let names = try? TakeFolder(existing: path, in: recordings).names() else { continue }
      for name in names where BackingID(name) != nil {
        do {
          if let note = try Backings.note(of: name, in: "\(path)/\(name)", recordings) { notes.append(note) }
        } catch {
          // Perhaps of a later release, or of a disk that cannot be read today: no reason to delete it.
          let metadata: Logger.Metadata = ["folder": "\(path)/\(name)", "error": "\(error)"]
          logger.error("a backing track cannot be read", metadata: metadata)
        }
      }
    }
    return notes
  }

  /// What is known of a backing track; one without a note was not finished, and is removed.
  private static func note(of name: String, in path: String, _ recordings: String) throws -> BackingFile.Note? {
    let folder = try TakeFolder(existing: path, in: recordings)
    guard let note = try BackingFile.Note.read(BackingFile.noteName, in: folder) else {
      try TakeFolder.delete(path, in: recordings)
      return nil
    }
    let own = BackingFile.path(of: note.backing.id, in: note.backing.room)
    guard own == path, folder.has(BackingFile.soundName) else {
      throw FileProblem(
        path: path, operation: .read, code: 0, detail: "its note or its sound is not its own")
    }
    return note
  }

  // MARK: What there is

  /// The backing tracks of a room, oldest first.
  func list(of room: RoomName) -> [Backing] {
    state.withLock { state in state.notes.values.map(\.backing).filter { $0.room == room } }.sorted { $0.id < $1.id }
  }

  /// - Throws: `Problem` 404.
  func find(_ text: String, in room: RoomName) throws(Problem) -> Backing {
    guard let id = BackingID(text), let note = state.withLock({ $0.notes[id] }), note.backing.room == room else {
      throw Backings.unknown(text, in: room)
    }
    return note.backing
  }

  static func unknown(_ text: String, in room: RoomName) -> Problem {
    Problem.notFound(
      "there is no backing track \"\(text.prefix(64))\" in \(room); GET /v1/rooms/{room}/backings lists them")
  }

  /// Bytes on the disk for a room's backing tracks.
  func bytes(of room: RoomName) -> Int64 {
    state.withLock { state in
      state.notes.values.filter { $0.backing.room == room }.reduce(Int64(0)) { $0 &+ $1.bytes }
    }
  }

  // MARK: Removing

  /// True until somebody removes it.
  func has(_ backing: Backing) -> Bool { state.withLock { $0.notes[backing.id] != nil } }

  /// Removes a backing track; a room that hears it hears it no more.
  func remove(_ backing: Backing) async throws {
    let recordings = recordings
    let path = BackingFile.path(of: backing.id, in: backing.room)
    // Another request may remove it just now.
    guard state.withLock({ $0.notes.removeValue(forKey: backing.id) }) != nil else { return }
    await broker.stopBacking(backing.id, in: backing.room)
    try await NIOThreadPool.singleton.runIfActive {
      // Without its note, the rest counts as unfinished.
      try (try? TakeFolder(existing: path, in: recordings))?.remove(BackingFile.noteName)
      try TakeFolder.delete(path, in: recordings)
    }
    await broker.backingsChanged(in: backing.room)
  }

  /// Removes all of a room that was closed.
  func removeAll(of room: RoomName) async throws {
    for backing in list(of: room) { try await remove(backing) }
  }

  // MARK: Life

  func run() async throws {
    let thread = ExportWorker(name: "backing-decode") { [weak self] in self?.work() }
    worker.withLock { $0 = thread }
    thread.wake()
    try? await gracefulShutdown()
    state.withLock { $0.isStopping = true }
    try? await NIOThreadPool.singleton.runIfActive { thread.stop() }
    // Requests that still wait get an answer.
    work()
  }

  private func work() {
    while let next = state.withLock({ state in state.queue.isEmpty ? nil : state.queue.removeFirst() }) { next() }
  }

  /// Decodes what was sent to `folder`, after what others have sent before.
  /// - Throws: as `JobRunner`; `CancellationError` if the service ends.
  func decode(in folder: String) async throws -> JobResult {
    try await withCheckedThrowingContinuation { continuation in
      let isQueued = state.withLock { state in
        // Its thread takes no more.
        guard !state.isStopping else { return false }
        state.queue.append { [self] in continuation.resume(with: Result { try decoded(folder) }) }
        return true
      }
      guard isQueued else { return continuation.resume(throwing: CancellationError()) }
      worker.withLock { $0 }?.wake()
    }
  }

  private func decoded(_ folder: String) throws -> JobResult {
    func proceed() throws {
      if state.withLock({ $0.isStopping }) { throw CancellationError() }
      try reserve.protect()
    }
    try proceed()
    return try jobs.run(.backing(folder: folder)) { _ in try proceed() }
  }
}
