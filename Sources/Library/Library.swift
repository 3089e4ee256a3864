import Foundation
import Machines
import Music
import Recording
import Signaling

/// The song book of a data folder: the one face for everything that people change, for the service and for commands on
/// the same folder at the same time.
///
/// An edit is true when it is on the disk: in `annotations.json` of the take's folder, in files of songs and people below
/// `_library`, or by where a take's folder lies. The index follows, and can always be made anew from these. Edits of all
/// processes come one after the other by a lock on a file (`flock`), because neither SQLite's transaction spans the
/// files nor a rename the rows; the system takes the lock back when a process is killed, and `PendingEdit` tells the next
/// one what to complete. Readers take no lock: every file is replaced as a whole, every row by a transaction.
package struct Library: Sendable {
  /// The song book's folder in the data folder.
  package static let folder = "_library"
  /// Where takes are until they are purged.
  package static let trash = "_trash"
  private static let lockName = "lock"
  private static let useName = "in-use"
  /// How long an edit waits for those of other processes.
  static let patience = MonotonicTime.Span.seconds(10)
  /// How long an edit waits for those of its own process that came before it: they end, but each takes its time.
  private static let turn = MonotonicTime.Span.seconds(60)
  /// How long a take that was recorded waits for them: it must not be given up for somebody's edit.
  static let takePatience = MonotonicTime.Span.seconds(600)
  /// How often they look.
  private static let pause = 0.002

  /// The data folder.
  package let root: String
  package let index: any TakeIndex
  /// Told of edits, where somebody watches.
  private let events: EventFeed?
  /// Held as long as the library is used: a rebuild replaces the index only where nobody has it.
  private let use: FileLock
  private let queue = EditQueue()

  /// Opens the song book of the data folder `root`.
  /// - Throws: `LibraryError.inUse` while the index is being rebuilt, `FileProblem`.
  package init(recordings root: String, index: any TakeIndex, events: EventFeed? = nil) throws {
    self.root = root
    self.index = index
    self.events = events
    let folder = try TakeFolder.obtain(Library.folder, in: root)
    guard let use = try FileLock(Library.useName, in: folder, isShared: true) else {
      throw LibraryError.inUse("the index is being rebuilt; wait for that")
    }
    self.use = use
  }

  /// Opens the song book for whoever has it alone.
  package init(recordings root: String, index: any TakeIndex, holding lock: FileLock) {
    self.root = root
    self.index = index
    events = nil
    use = lock
  }

  /// Keeps everybody from the index of a data folder while it is replaced.
  /// - Throws: `LibraryError.inUse` where a service or a command uses it.
  package static func alone(in root: String) throws -> FileLock {
    let folder = try TakeFolder.obtain(Library.folder, in: root)
    guard let lock = try FileLock(useName, in: folder) else {
      throw LibraryError.inUse("a service or another command uses the index of \(root); stop it first")
    }
    return lock
  }

  /// Tells whoever watches the service what became of a take.
  func publish(_ kind: ServiceEventKind, _ take: Take) {
    events?.publish(kind, room: take.room, .take(take))
  }

  // MARK: One edit at a time

  /// Runs `body` while no other edit is written, whichever process it belongs to; what a killed one left is completed
  /// first.
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
          try await complete(left.subject)
          try folder.remove(PendingEdit.fileName)
        } else {
          // An edit that is refused must not be found on the disk.
          try await index.checkWritable()
        }
        let value = try await body(folder)
        withExtendedLifetime(lock) {}
        return value
      }
      guard MonotonicClock.now < deadline else { throw LibraryError.busy }
      // Not a task's sleep: a take that is stored at the end of the service must not fail because its task was cancelled.
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        DispatchQueue.global().asyncAfter(deadline: .now() + Library.pause) { done.resume() }
      }
    }
  }

  /// Writes on the disk with `body`, then brings the index after it.
  func write(_ subject: PendingEdit.Subject, in folder: TakeFolder, _ body: () throws -> Void) async throws {
    try PendingEdit(subject: subject).write(PendingEdit.fileName, in: folder)
    do {
      try body()
    } catch {
      // What was done of it counts: the index says what is on the disk.
      try? await complete(subject)
      try? folder.remove(PendingEdit.fileName)
      throw error
    }
    try await complete(subject)
    try folder.remove(PendingEdit.fileName)
  }

  /// Brings the index up to what the disk says of a subject.
  private func complete(_ subject: PendingEdit.Subject) async throws {
    switch subject {
    case .take(let id, let folders): try await indexTake(id, in: folders)
    case .purge(let id, let folder): try await finishPurge(id, folder: folder)
    case .song(let id): try await indexSong(id)
    case .people(let ids): try await indexPeople(ids)
    }
  }

  /// Completes what a killed process left; otherwise the next edit would do it.
  package func settle() async throws {
    try await locked { _ in }
  }
}
