import GRDB
import Music

/// Why the index refused or failed; `description` says what was wrong and what would be right.
package enum CatalogError: DiskProblem, IndexProblem, Hashable, Sendable {
  /// There is no take of this identifier.
  case unknownTake(TakeID)
  /// There is no session of this identifier.
  case unknownSession(SessionID)
  /// There is no song of this identifier.
  case unknownSong(SongID)
  /// A take of this identifier was added before.
  case takeExists(TakeID)
  /// The session is known, but in another room, which is named.
  case sessionElsewhere(SessionID, room: RoomName)
  /// A take may not go from the one state to the other.
  case illegalMove(TakeID, from: TakeState, to: TakeState)
  /// A take with tracks is not discarded.
  case takeHasTracks(TakeID, count: Int)
  /// A track was given with a take that it does not belong to.
  case trackOfAnotherTake(TrackID, take: TakeID)
  /// A cursor that no list gave out.
  case invalidCursor(String)
  /// A page of so many items is not served.
  case limitOutOfRange(Int)
  /// This order is not offered with these filters.
  case unsupportedSort(TakeQuery.Sort)
  /// A filter has a value that is not permitted.
  case value(ValueProblem)
  /// The database was made by a newer version of the program, and was left untouched.
  case newerSchema(path: String, found: Int, known: Int)
  /// The file is a database of something else, and was left untouched.
  case notACatalog(path: String)
  /// A rule of the schema was broken by what was to be stored.
  case conflict(String)
  /// The database is damaged; opening it again sets it aside.
  case damaged(String)
  /// A row has words that nobody wrote; everything else can be used.
  case unreadable(String)
  /// SQLite failed otherwise (no space, no permission, locked by another process), with its extended result code.
  case storage(code: Int, message: String)

  package var isIndexUnavailable: Bool {
    switch self {
    case .storage, .damaged: true
    default: false
    }
  }

  /// Another process has the lock (SQLITE_BUSY, whatever its extended code).
  package var isLocked: Bool {
    if case .storage(let code, _) = self { return code & 0xFF == Int(ResultCode.SQLITE_BUSY.rawValue) }
    return false
  }

  /// SQLITE_FULL, whatever its extended code.
  package var isDiskFull: Bool {
    if case .storage(let code, _) = self { return code & 0xFF == Int(ResultCode.SQLITE_FULL.rawValue) }
    return false
  }

  /// A word for programs that never changes.
  package var code: String {
    switch self {
    case .unknownTake: "unknown-take"
    case .unknownSession: "unknown-session"
    case .unknownSong: "unknown-song"
    case .takeExists: "take-exists"
    case .sessionElsewhere: "session-elsewhere"
    case .illegalMove: "illegal-move"
    case .takeHasTracks: "take-has-tracks"
    case .trackOfAnotherTake: "track-of-another-take"
    case .invalidCursor: "invalid-cursor"
    case .limitOutOfRange: "limit-out-of-range"
    case .unsupportedSort: "unsupported-sort"
    case .value: "invalid-value"
    case .newerSchema: "newer-schema"
    case .notACatalog: "not-a-catalog"
    case .conflict: "conflict"
    case .damaged, .unreadable: "damaged"
    case .storage: "storage"
    }
  }
}

extension CatalogError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownTake(let id): "there is no take \(id)"
    case .unknownSession(let id): "there is no session \(id)"
    case .unknownSong(let id): "there is no song \(id)"
    case .takeExists(let id): "there is a take \(id) already; a new take needs an identifier of its own"
    case .sessionElsewhere(let id, let room): "the session \(id) is one of the room \"\(room)\""
    case .illegalMove(let id, let from, let to):
      "the take \(id) is \(from.rawValue) and cannot become \(to.rawValue); it can become "
        + TakeState.allCases.filter(from.mayBecome).map(\.rawValue).joined(separator: " or ")
    case .takeHasTracks(let id, let count): "the take \(id) has \(count) tracks; only one without audio is discarded"
    case .trackOfAnotherTake(let track, let take): "the track \(track) does not belong to the take \(take)"
    case .invalidCursor(let cursor):
      "\"\(cursor.prefix(64))\" is no cursor of this list; begin without one and pass on what \"next\" says"
    case .limitOutOfRange(let limit):
      "the limit \(limit) is out of range; it must be \(TakeListing.limits.lowerBound) to \(TakeListing.limits.upperBound)"
    case .unsupportedSort(let sort):
      "takes are not sorted by \(sort.rawValue) with these filters: by rating and length there is a list of all takes, "
        + "of a room, or of a song; newest and oldest go with everything"
    case .value(let problem): problem.description
    case .newerSchema(let path, let found, let known):
      "\(path) has schema \(found), this program knows up to \(known); use a newer jamjar, or move the file away and "
        + "have it rebuilt from the manifests"
    case .notACatalog(let path): "\(path) is a database, but not one of Jamjar's; name another file"
    case .conflict(let rule): "the index refused it: \(rule)"
    case .damaged(let what): "the index is damaged (\(what)); at the next start it is set aside and rebuilt"
    case .unreadable(let what): "the index has a damaged row (\(what)); jamjar catalog rebuild makes it anew"
    case .storage(let code, let message): "the index cannot be used: \(message) (SQLite code \(code))"
    }
  }
}

extension CatalogError {
  /// What an error that came out of a database access means to the caller.
  static func meaning(of error: any Error) -> any Error {
    switch error {
    case let error as DatabaseError: CatalogError(error)
    // A row whose words cannot be read was not written by us: SQLite does not notice changed bytes within a value.
    case let error as RowDecodingError: CatalogError.unreadable("\(error)")
    case let error as ValueProblem: CatalogError.value(error)
    case let error as NameError: CatalogError.unreadable(error.description)
    default: error
    }
  }

  init(_ error: DatabaseError) {
    let message = error.message ?? "no message"
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(message)
    case .SQLITE_CONSTRAINT: self = .conflict(message)
    default: self = .storage(code: Int(error.extendedResultCode.rawValue), message: message)
    }
  }
}
