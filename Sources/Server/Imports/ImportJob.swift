import Library
import Machines
import Music
import Synchronization

/// Recordings that somebody sends to make takes of: arriving, waiting, in work, or done.
struct ImportJob: Hashable, Sendable, Codable {
  enum State: String, Hashable, Sendable, Codable, CaseIterable {
    case receiving, queued, running, done, failed

    /// True if the import has ended.
    var isOver: Bool { self == .done || self == .failed }
  }

  /// A file to be sent.
  struct File: Hashable, Sendable, Codable {
    let name: String
    /// Its last modification where it comes from: it dates recordings that do not say when they were made.
    var modifiedAt: WallTime?
    /// Bytes on disk.
    var received: Int64 = 0
    var isComplete = false
  }

  /// What shall become of the files.
  struct Wish: Hashable, Sendable, Codable {
    /// The title of the song.
    var song: String?
    /// Overrides when it was recorded.
    var startedAt: WallTime?
    /// Move tracks so that their common sound fits.
    var aligns = false
    /// Begin all files at the take's zero.
    var ignoresTimes = false
    /// Import files again that are in a take already.
    var repeats = false
    /// What users call the files together.
    var origin: String?
  }

  let id: ImportID
  let room: RoomName
  let wish: Wish
  var files: [File]
  var state = State.receiving
  /// 0 to 1.
  var progress = 0.0
  let createdAt: WallTime
  /// The last piece of a file.
  var touchedAt: WallTime
  var finishedAt: WallTime?
  /// Takes of the files that are done, made or found.
  var done = 0
  /// The takes that were made.
  var takes: [TakeID] = []
  /// Takes that had been made of the same files before.
  var known: [TakeID] = []
  /// Why it failed, or what it waits for.
  var problem: String?
  /// The take in work: a process that ended just after putting it into the song book has made it.
  var making: TakeID?
  var cast = ImportCast()

  init(id: ImportID, room: RoomName, wish: Wish, files: [File], createdAt: WallTime) {
    (self.id, self.room, self.wish, self.files) = (id, room, wish, files)
    (self.createdAt, touchedAt) = (createdAt, createdAt)
  }

  /// Bytes on disk.
  var received: Int64 { files.reduce(0) { $0 &+ $1.received } }
  var isComplete: Bool { files.allSatisfy(\.isComplete) }

  /// The time of its removal.
  func expiry(retention: Int64) -> WallTime? {
    finishedAt.map { WallTime(milliseconds: $0.milliseconds &+ retention &* 1_000) }
  }
}

typealias ImportID = Identifier<ImportJob>

/// The limits for imports over REST.
package struct ImportConfiguration: Hashable, Sendable {
  /// Most files of an import.
  package var files = 256
  /// Most bytes of an import's files together.
  package var bytes: Int64 = 32 << 30
  /// Most imports of a room that are not over.
  package var perRoom = 4
  /// Most imports of all rooms, including those that are over.
  package var capacity = 256
  /// How long an upload that stalls is kept, in milliseconds: two days.
  package var patience: Int64 = 2 * 86_400_000
  /// How long the result is kept, in seconds: a day.
  package var retention: Int64 = 86_400

  package init() {}
}

/// One import: its state, and a lock that serializes all work on its files.
///
/// Work on the files blocks on the disk and must run on a thread for it.
final class ImportEntry: Sendable {
  struct Contents: Sendable {
    var job: ImportJob
    /// It was removed; the work in progress removes its files.
    var isGone = false
    /// Earliest time of another attempt.
    var retryAt: MonotonicTime?
    /// How often it was put off.
    var delays = 0
  }

  let id: ImportID
  let room: RoomName
  /// Held during work on the files, possibly for long.
  private let order = Mutex(())
  /// Held only briefly: readers of the state never wait for the disk.
  private let contents: Mutex<Contents>

  init(_ job: ImportJob) {
    (id, room) = (job.id, job.room)
    contents = Mutex(Contents(job: job))
  }

  /// The present state.
  var now: Contents { contents.withLock { $0 } }
  var job: ImportJob { now.job }

  /// Changes the state at once; not for work on files.
  func change<Value: Sendable>(_ body: (inout Contents) -> Value) -> Value { contents.withLock { body(&$0) } }

  /// Runs `body` with exclusive access to the files.
  func locked<Value: Sendable>(_ body: () throws -> Value) rethrows -> Value {
    try order.withLock { _ in try body() }
  }
}
