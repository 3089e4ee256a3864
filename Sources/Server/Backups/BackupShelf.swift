import Library
import Music
import Recording
import Rooms
import Synchronization

/// The files of backups in the folders of takes. Blocks on the disk.
struct BackupShelf: Sendable {
  /// The data folder.
  let recordings: String

  /// Every backup of every take, also of those in the trash; what cannot be read is passed by.
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
      // A process ended while it was aligned.
      if backup.state == .aligning { backup.state = .waiting }
      if samples == nil, !backup.state.isOver {
        backup.state = .refused
        backup.problem = "its samples are gone from the disk; send it again"
      }
      let received = samples?.size ?? (backup.state == .ready ? backup.bytes ?? 0 : 0)
      // Written by an older release, which took what this one does not, or by a stranger's hand.
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
        // The sentence has what the file says; clients are promised 1 or 2.
        let counts = Backup.channelCounts
        backup.channels = min(max(backup.channels, counts.lowerBound), counts.upperBound)
      }
      return BackupUpload(backup, received: received, touched: samples?.modified ?? backup.createdAt)
    }
  }

  /// Bytes that may still be written.
  func room() throws(FileProblem) -> Int64 { try DiskSpace(at: recordings).available }
}

/// One backup: what is known of it, and the order of everything that is done with its files.
///
/// Whoever works on the files blocks on the disk, and belongs onto a thread for it.
final class BackupUpload: Sendable {
  struct Contents: Sendable {
    var backup: Backup
    /// Bytes that are on the disk.
    var received: Int64
    /// When the last of them came.
    var touched: WallTime
    /// Nobody wants it any more; its files are gone.
    var isGone = false
    /// When it may be tried again after something failed that was not its fault.
    var retryAt: WallTime?
    var failures = 0
  }

  let id: BackupID
  let take: TakeID
  /// Held while files are worked on, which may take its time.
  private let order = Mutex(())
  /// Held for a moment only: whoever asks waits for no disk.
  private let contents: Mutex<Contents>

  init(_ backup: Backup, received: Int64, touched: WallTime) {
    (id, take) = (backup.id, backup.take)
    contents = Mutex(Contents(backup: backup, received: received, touched: touched))
  }

  /// What is known now.
  var now: Contents { contents.withLock { $0 } }

  /// Works on the backup while nobody else does; what `body` changed before it threw counts.
  func locked<Value: Sendable>(_ body: (inout Contents) throws -> Value) rethrows -> Value {
    try order.withLock { _ in
      var changed = now
      defer { contents.withLock { [changed] in $0 = changed } }
      return try body(&changed)
    }
  }
}
