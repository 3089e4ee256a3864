import Library
import Machines
import Music
import Recording
import Rooms
import Synchronization

/// The files of backups in the folders of takes. Blocks on the disk.
struct BackupShelf: Sendable {
  /// The data folder.
  let recordings: String
  /// Name and version of this release; see `Attempts`.
  let software: String

  /// The count of attempts to align a backup.
  func attempts(at backup: BackupID, in folder: TakeFolder) -> AttemptCount {
    AttemptCount(BackupFile.attemptsName(of: backup), in: folder, by: software)
  }

  /// All backups of all takes, including takes in the trash; skips unreadable ones.
  func sweep() throws -> [BackupUpload] {
    var paths = Set(try TakeFolder.journals(under: recordings)).union(try TakeFolder.manifests(under: recordings))
    for name in (try? TakeFolder(existing: Library.trash, in: recordings).names()) ?? [] {
      paths.insert("\(Library.trash)/\(name)")
    }
    return paths.sorted().flatMap { (try? uploads(in: TakeFolder(existing: $0, in: recordings))) ?? [] }
  }

  private func uploads(in folder: TakeFolder) throws -> [BackupUpload] {
    try folder.names().compactMap { name in
      guard let id = BackupFile.identifier(of: name),
        var backup = (try? BackupFile.read(name, in: folder))?.backup, backup.id == id
      else { return nil }
      let samples = try BackupFile.samples(of: id, in: folder)
      // A process ended during the alignment.
      if backup.state == .aligning { backup.state = .waiting }
      // Another release failed, perhaps for a reason of its own.
      if backup.state == .failed, attempts(at: id, in: folder).now.count == 0 {
        (backup.state, backup.problem) = (.waiting, nil)
      }
      if samples == nil, !backup.state.isOver {
        backup.state = .refused
        backup.problem = "its samples are missing from the disk; send it again"
      }
      let received = samples?.size ?? (backup.state == .ready ? backup.bytes ?? 0 : 0)
      // Written by an older release with other limits, or edited by hand.
      if !backup.state.isOver {
        do {
          try backup.check()
          if let size = samples?.size, size > backup.limit {
            throw ValueProblem("its samples", "\(size) bytes", "up to \(backup.limit) bytes, which is six hours")
          }
        } catch {
          backup.state = .refused
          backup.problem = "\(error)"
        }
        // The sentence has the value from the file; the API promises 1 or 2.
        let counts = Backup.channelCounts
        backup.channels = min(max(backup.channels, counts.lowerBound), counts.upperBound)
      }
      return BackupUpload(
        backup, received: received, touched: samples?.modified ?? backup.createdAt,
        // One that was refused once another took its place has a sum too.
        hasOriginal: (backup.state == .ready || backup.sha256 != nil) && samples != nil)
    }
  }
}

/// One backup: its state, and a lock that serializes all work on its files.
///
/// Work on the files blocks on the disk and must run on a thread for it.
final class BackupUpload: Sendable {
  struct Contents: Sendable {
    var backup: Backup
    /// Bytes on disk.
    var received: Int64
    /// Arrival of the last of them.
    var touched: WallTime
    /// The backup was removed; its files are gone.
    var isGone = false
    /// Earliest time of another attempt after a failure that was not its fault.
    var retryAt: MonotonicTime?
    var failures = 0
    /// The samples of a backup that was aligned are still there.
    var hasOriginal = false
  }

  let id: BackupID
  let take: TakeID
  /// Held during work on the files, possibly for long.
  private let order = Mutex(())
  /// Held only briefly: readers of the state never wait for the disk.
  private let contents: Mutex<Contents>

  init(_ backup: Backup, received: Int64, touched: WallTime, hasOriginal: Bool = false) {
    (id, take) = (backup.id, backup.take)
    contents = Mutex(Contents(backup: backup, received: received, touched: touched, hasOriginal: hasOriginal))
  }

  /// The present state.
  var now: Contents { contents.withLock { $0 } }

  /// Runs `body` with exclusive access to the backup; changes made before `body` throws are kept.
  func locked<Value: Sendable>(_ body: (inout Contents) throws -> Value) rethrows -> Value {
    try order.withLock { _ in
      var changed = now
      defer { contents.withLock { [changed] in $0 = changed } }
      return try body(&changed)
    }
  }
}
