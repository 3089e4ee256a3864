import GRDB
import Music

/// The reason why the index refused or failed; `description` names the fault and the correction.
package enum CatalogError: DiskProblem, IndexProblem, Hashable, Sendable {
  /// No take has this identifier.
  case unknownTake(TakeID)
  /// No session has this identifier.
  case unknownSession(SessionID)
  /// No song has this identifier.
  case unknownSong(SongID)
  /// A take with this identifier already exists.
  case takeExists(TakeID)
  /// The session is known, but belongs to the given other room.
  case sessionElsewhere(SessionID, room: RoomName)
  /// A take may not change between these states.
  case illegalMove(TakeID, from: TakeState, to: TakeState)
  /// A take with tracks cannot be discarded.
  case takeHasTracks(TakeID, count: Int)
  /// A track passed with a take belongs to another take.
  case trackOfAnotherTake(TrackID, take: TakeID)
  /// A cursor that did not come from this list.
  case invalidCursor(String)
  /// The page size is out of range.
  case limitOutOfRange(Int)
  /// This order is not available with these filters.
  case unsupportedSort(TakeQuery.Sort)
  /// A filter has an invalid value.
  case value(ValueProblem)
  /// A newer version of the program created the database; it was not changed.
  case newerSchema(path: String, found: Int, known: Int)
  /// The file is another program's database; it was not changed.
  case notACatalog(path: String)
  /// The data violate a constraint of the schema.
  case conflict(String)
  /// The database is damaged; the next opening sets it aside.
  case damaged(String)
  /// A row contains invalid data; everything else is usable.
  case unreadable(String)
  /// Another failure of SQLite (no space, no permission, locked by another process), with its extended result code.
  case storage(code: Int, message: String)
  /// A failure of PostgreSQL or of the way to it (away, out of space, locked, wrong password), with its SQLSTATE.
  case database(state: String, message: String)

  package var isIndexUnavailable: Bool {
    switch self {
    case .storage, .damaged, .database: true
    default: false
    }
  }

  /// True if another process holds the lock (SQLITE_BUSY with any extended code, "lock_not_available").
  package var isLocked: Bool {
    switch self {
    case .storage(let code, _): code & 0xFF == Int(ResultCode.SQLITE_BUSY.rawValue)
    case .database(let state, _): state == "55P03"
    default: false
    }
  }

  /// True for SQLITE_FULL with any extended code, and for "disk_full".
  package var isDiskFull: Bool {
    switch self {
    case .storage(let code, _): code & 0xFF == Int(ResultCode.SQLITE_FULL.rawValue)
    case .database(let state, _): state == "53100"
    default: false
    }
  }

  /// A stable code for programs.
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
    case .storage, .database: "storage"
    }
  }
}

extension CatalogError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownTake(let id): "there is no take \(id)"
    case .unknownSession(let id): "there is no session \(id)"
    case .unknownSong(let id): "there is no song \(id)"
    case .takeExists(let id): "there already is a take \(id); a new take needs its own identifier"
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
    case .unreadable(let what): "the index has a damaged row (\(what)); rebuild it with jamjar catalog rebuild"
    case .storage(let code, let message): "the index cannot be used: \(message) (SQLite code \(code))"
    case .database(let state, let message): "the index cannot be used: \(message) (PostgreSQL code \(state))"
    }
  }
}

extension CatalogError {
  /// Translates an error of a database access for the caller.
  static func meaning(of error: any Error) -> any Error {
    switch error {
    case let error as DatabaseError: CatalogError(error)
    case let problem as PostgreSQLProblem: problem.meaning
    // A row with invalid data was not written by this program: SQLite does not detect changed bytes within a value.
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
