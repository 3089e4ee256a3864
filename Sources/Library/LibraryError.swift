import Music

/// Why an edit was refused; `description` says what was wrong and what would be right.
package enum LibraryError: IndexProblem, Hashable, Sendable {
  case unknownTake(TakeID)
  case unknownSong(SongID)
  case unknownPerson(ParticipantID)
  case unknownCue(CueID, take: TakeID)
  /// Somebody edited it in between: read it again, and edit what is there now.
  case staleRevision(given: Int, current: Int)
  /// A field has a value that is not permitted.
  case value(ValueProblem)
  /// A take that rolls, or is being finished, is not deleted.
  case takeBusy(TakeID, TakeState)
  /// The take is in the trash: restore it first.
  case takeDeleted(TakeID)
  /// The take is not in the trash.
  case takeNotDeleted(TakeID)
  /// There is a song of this identifier already.
  case songExists(SongID)
  /// Another song has the title, in whatever case.
  case titleTaken(String, by: SongID)
  /// Takes have the song, be they in the trash.
  case songInUse(SongID)
  /// The files of a take that the index knows are not where it says.
  case filesMissing(TakeID, folder: String)
  /// Another edit, of another process perhaps, did not end in time.
  case busy
  /// The index is being rebuilt, or (for a rebuild) somebody uses it.
  case inUse(String)

  /// What is stored after a take may wait for somebody's edit.
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
