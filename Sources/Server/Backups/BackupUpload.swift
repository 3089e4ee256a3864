import Music
import Recording
import Synchronization

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
