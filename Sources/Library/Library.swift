import Foundation
import Logging
import Machines
import Music
import Recording
import Signaling

/// The song book of a data folder: the single interface for all edits, shared by the service and commands that use the
/// folder at the same time.
///
/// An edit takes effect once it is on disk: in `annotations.json` of the take's folder, in the files of songs and
/// people in `_library`, or as the location of a take's folder. The index follows, and can be rebuilt from these.
///
/// A file lock (`flock`) serializes the edits of all processes, because no SQLite transaction covers the files and no
/// rename covers the rows. The system releases the lock of a killed process, and `PendingEdit` tells the next process
/// what to complete. Each edit is then a line of `EditLog`, from which the service makes events. Readers take no lock: each file is replaced as a whole, each row in a transaction.
package struct Library: Sendable {
  /// The song book's folder in the data folder.
  package static let folder = "_library"
  /// The folder of deleted takes until they are purged.
  package static let trash = "_trash"
  private static let lockName = "lock"
  private static let useName = "in-use"
  private static let serviceName = "service"
  /// How long an edit waits for those of other processes.
  static let patience = MonotonicTime.Span.seconds(10)
  /// How long an edit waits for earlier edits of its own process: they do end, but each takes some time.
  private static let turn = MonotonicTime.Span.seconds(60)
  /// How long a recorded take waits for them: it must not be given up because of an edit.
  static let takePatience = MonotonicTime.Span.seconds(600)
  /// Interval of trying the lock.
  private static let pause = 0.002

  /// The data folder.
  package let root: String
  package let index: any TakeIndex
  /// All edits of the data folder.
  package let edits: EditLog
  /// Publishes them as events, in the service.
  private let follower: EditFollower?
  /// A lock held while the library is in use: a rebuild replaces the index only when it is unused.
  private let use: FileLock
  private let queue = EditQueue()
  /// Writes the files of sessions.
  let errands = DiskErrands()

  /// Opens the song book of the data folder `root`.
  /// - Parameter events: receives every edit from now on, also of other processes (`watch`).
  /// - Throws: `LibraryError.inUse` while the index is being rebuilt, `FileProblem`.
  package init(recordings root: String, index: any TakeIndex, events: EventFeed? = nil) throws {
    self.root = root
    self.index = index
    edits = EditLog(recordings: root)
    let folder = try TakeFolder.obtain(Library.folder, in: root)
    guard let use = try FileLock(Library.useName, in: folder, isShared: true) else {
      throw LibraryError.inUse("the index is being rebuilt; wait for that")
    }
    self.use = use
    follower = try events.map { [edits] feed in try EditFollower(edits, feed: feed) }
  }

  /// Opens the song book for its only user.
  package init(recordings root: String, index: any TakeIndex, holding lock: FileLock) {
    self.root = root
    self.index = index
    edits = EditLog(recordings: root)
    follower = nil
    use = lock
  }

  /// Locks the index of a data folder against all use while it is replaced.
  /// - Throws: `LibraryError.inUse` if a service or a command uses it.
  package static func alone(in root: String) throws -> FileLock {
    let folder = try TakeFolder.obtain(Library.folder, in: root)
    guard let lock = try FileLock(useName, in: folder) else {
      throw LibraryError.inUse("a service or another command uses the index of \(root); stop it first")
    }
    return lock
  }

  /// Keeps other services out of a data folder: a second one would take the takes that roll for those of a dead one.
  /// Commands may use it meanwhile.
  /// - Throws: `LibraryError.inUse` if a service records into it.
  package static func serving(_ root: String) throws -> FileLock {
    let folder = try TakeFolder.obtain(Library.folder, in: root)
    guard let lock = try FileLock(serviceName, in: folder) else {
      throw LibraryError.inUse(
        "another service records into \(root); stop it first, or choose another folder with --data")
    }
    return lock
  }

  /// Publishes the edits of other processes while the service runs.
  package func watch(logger: Logger) -> EditWatch { EditWatch(library: self, follower: follower, logger: logger) }

  // MARK: One edit at a time

  /// Runs `body` while no process writes another edit, after completing the pending edit of a killed one.
  func locked<Value: Sendable>(
    within patience: MonotonicTime.Span = Library.patience, _ body: (TakeFolder) async throws -> Value
  ) async throws -> Value {
    try await queue.run(within: max(patience, Library.turn)) {
      try await lockedAmongProcesses(within: patience, body)
    }
  }

  private func lockedAmongProcesses<Value: Sendable>(
    within patience: MonotonicTime.Span, _ body: (TakeFolder) async throws -> Value
  ) async throws -> Value {
    let folder = try TakeFolder.obtain(Library.folder, in: root)
    let deadline = MonotonicClock.now + patience
    while true {
      if let lock = try FileLock(Library.lockName, in: folder) {
        if let left = try PendingEdit.read(PendingEdit.fileName, in: folder) {
          try await finish(left, in: folder)
        } else {
          // A refused edit must leave nothing on disk.
          try await index.checkWritable()
        }
        let value = try await body(folder)
        withExtendedLifetime(lock) {}
        return value
      }
      guard MonotonicClock.now < deadline else { throw LibraryError.busy }
      // Not a task's sleep: storing a take at the end of the service must not fail because its task was cancelled.
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        DispatchQueue.global().asyncAfter(deadline: .now() + Library.pause) { done.resume() }
      }
    }
  }

  /// Notes the edit, writes to disk with `body`, updates the index and logs the edit, in this order: whatever step a
  /// kill comes after, `finish` does the rest.
  ///
  /// - Parameters:
  ///   - kind: the event that the edit is; nil for a change that is no edit by a user.
  ///   - revision: the revision that the subject gets.
  ///   - room: the room of a take that will be gone.
  func write(
    _ subject: PendingEdit.Subject, in folder: TakeFolder, as kind: ServiceEventKind?, revision: Int = 1,
    room: RoomName? = nil, _ body: () throws -> Void
  ) async throws {
    var pending = PendingEdit(subject: subject)
    if let kind {
      pending.edit = PendingEdit.Edit(
        number: try edits.last() &+ 1, kind: kind, revision: revision, room: room, time: MonotonicClock.wall)
    }
    try pending.write(PendingEdit.fileName, in: folder)
    try EditStep.passed(.noted)
    do {
      try body()
    } catch let kill as EditStep.Kill {
      throw kill
    } catch {
      // A partial edit counts: the index reflects what is on disk.
      try? await finish(pending, in: folder)
      throw error
    }
    try EditStep.passed(.written)
    try await finish(pending, in: folder)
  }

  /// Updates the index from the files, logs the edit unless that was done, and removes the note.
  private func finish(_ pending: PendingEdit, in folder: TakeFolder) async throws {
    try await complete(pending.subject)
    try EditStep.passed(.indexed)
    if let number = pending.edit?.number, let entry = try await event(of: pending).flatMap(EditEntry.init) {
      try edits.append(entry, as: number)
      try EditStep.passed(.logged)
      // The service looks again soon if this fails.
      try? follower?.follow()
    }
    try folder.remove(PendingEdit.fileName)
  }

  /// Updates the index from the files of a subject.
  private func complete(_ subject: PendingEdit.Subject) async throws {
    switch subject {
    case .take(let id, let folders): try await indexTake(id, in: folders)
    case .purge(let id, let folder): try await finishPurge(id, folder: folder)
    case .song(let id): try await indexSong(id)
    case .people(let ids): try await indexPeople(ids)
    }
  }

  /// True while an edit is being made, or was left by a killed process.
  var hasPendingEdit: Bool {
    guard let folder = try? TakeFolder(existing: Library.folder, in: root) else { return false }
    return folder.has(PendingEdit.fileName)
  }

  /// Completes the pending edit of a killed process; otherwise the next edit would do so.
  package func settle() async throws {
    try await locked { _ in }
  }
}
