import Music
import Recording
import Signaling

/// The edit being written: `_library/pending.json` exists while the disk may be ahead of the index.
///
/// An edit writes a file (or renames one) and then rows; no transaction covers both. If a process is killed in between,
/// the next one to take the library's lock finds this file, updates the index and logs the edit, so nothing is lost.
struct PendingEdit: Sidecar {
  static let currentVersion = 1
  static let fileName = "pending.json"

  /// The subject of the edit.
  enum Subject: Hashable, Sendable, Codable {
    /// A take, in any of these folders.
    case take(TakeID, folders: [String])
    /// A take in the trash whose files are being removed.
    case purge(TakeID, folder: String)
    case song(SongID)
    /// All people affected by a merge or rename.
    case people([ParticipantID])
  }

  /// What the edit becomes in the log; how far it got shows in the files.
  struct Edit: Hashable, Sendable, Codable {
    /// Its number in the log.
    var number: UInt64
    var kind: ServiceEventKind
    /// The revision that its subject gets.
    var revision = 1
    /// The room of a take that will be gone.
    var room: RoomName?
    var time: WallTime
  }

  var version = PendingEdit.currentVersion
  var subject: Subject
  /// Nil for a change that is no edit by a user.
  var edit: Edit?

  /// It has no number.
  func check() {}
}
