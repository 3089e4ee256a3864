import Music
import Recording

/// The edit that is being written: `_library/pending.json`, there while the disk may be ahead of the index.
///
/// An edit is a file (or a rename) and then rows; no transaction spans both. Whoever gets the library's lock next and
/// finds this file brings the index up to what the disk says, so that a kill between the two costs nothing.
struct PendingEdit: Sidecar {
  static let currentVersion = 1
  static let fileName = "pending.json"

  /// What was to be changed.
  enum Subject: Hashable, Sendable, Codable {
    /// A take that may be in any of these folders.
    case take(TakeID, folders: [String])
    /// A take in the trash whose files are being removed.
    case purge(TakeID, folder: String)
    case song(SongID)
    /// Everybody whom a merge or rename touches.
    case people([ParticipantID])
  }

  var version = PendingEdit.currentVersion
  var subject: Subject

  /// It has no number.
  func check() {}
}
