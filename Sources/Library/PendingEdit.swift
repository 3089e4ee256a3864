import Music
import Recording

/// The edit being written: `_library/pending.json` exists while the disk may be ahead of the index.
///
/// An edit writes a file (or renames one) and then rows; no transaction covers both. If a process is killed in between,
/// the next one to take the library's lock finds this file and updates the index, so nothing is lost.
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

  var version = PendingEdit.currentVersion
  var subject: Subject

  /// It has no number.
  func check() {}
}
