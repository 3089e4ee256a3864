import Music

/// The reason for refusing an edit; `description` says what was wrong and what would be right.
package enum LibraryError: IndexProblem, Hashable, Sendable {
  case unknownTake(TakeID)
  case unknownSong(SongID)
  case unknownPerson(ParticipantID)
  case unknownCue(CueID, take: TakeID)
  /// It was edited in the meantime: read it again, and edit the current version.
  case staleRevision(given: Int, current: Int)
  /// A field has a value that is not permitted.
  case value(ValueProblem)
  /// The take is rolling or being finished, and cannot be deleted.
  case takeBusy(TakeID, TakeState)
  /// The take is in the trash: restore it first.
  case takeDeleted(TakeID)
  /// The take is not in the trash.
  case takeNotDeleted(TakeID)
  /// A song with this identifier exists already.
  case songExists(SongID)
  /// Another song has the title, ignoring case.
  case titleTaken(String, by: SongID)
  /// Takes use the song, perhaps in the trash.
  case songInUse(SongID)
  /// The files of an indexed take are not in its folder.
  case filesMissing(TakeID, folder: String)
  /// Another edit, perhaps of another process, did not end in time.
  case busy
  /// The index is being rebuilt or, for a rebuild, is in use.
  case inUse(String)

  /// True for errors after which storing a take should be retried.
  package var isIndexUnavailable: Bool { self == .busy }

  /// A word for programs that never changes.
  package var code: String {
    switch self {
    case .unknownTake: "unknown-take"
    case .unknownSong: "unknown-song"
    case .unknownPerson: "unknown-participant"
    case .unknownCue: "unknown-cue"
    case .staleRevision: "stale-revision"
    case .value: "invalid-value"
    case .takeBusy: "take-busy"
    case .takeDeleted: "take-deleted"
    case .takeNotDeleted: "take-not-deleted"
    case .songExists: "song-exists"
    case .titleTaken: "title-taken"
    case .songInUse: "song-in-use"
    case .filesMissing: "files-missing"
    case .busy: "busy"
    case .inUse: "in-use"
    }
  }
}

extension LibraryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownTake(let id): "there is no take \(id)"
    case .unknownSong(let id): "there is no song \(id)"
    case .unknownPerson(let id): "there is no participant \(id)"
    case .unknownCue(let id, let take): "the take \(take) has no cue \(id)"
    case .staleRevision(let given, let current):
      "it was edited in between: the revision is \(current), not \(given); read it again and edit that"
    case .value(let problem): problem.description
    case .takeBusy(let id, let state):
      "the take \(id) is \(state.rawValue); only one that is ready, incomplete or failed can be deleted"
    case .takeDeleted(let id): "the take \(id) is in the trash; restore it first"
    case .takeNotDeleted(let id): "the take \(id) is not in the trash; delete it first"
    case .songExists(let id): "there is a song \(id) already; edit that, or leave out the identifier"
    case .titleTaken(let title, let id):
      "the song \(id) has the title \"\(title)\" already; choose another, or edit that"
    case .songInUse(let id): "takes of the song \(id) are there (perhaps in the trash); give them to another song first"
    case .filesMissing(let id, let folder):
      "the files of the take \(id) are not in \(folder); jamjar catalog check tells what else is amiss"
    case .busy: "another edit is being written and does not end; try again in a moment"
    case .inUse(let what): what
    }
  }
}
