import Catalog
import HTTPTypes
import Library
import Music
import Rooms
import Signaling

extension Problem {
  /// The problem for a room's refusal, with the code shared by all dialects.
  init(_ refusal: RoomRefusal) {
    self.init(
      Problem.status(of: refusal.code), refusal.code.rawValue, Problem.title(of: refusal.code), refusal.description)
    switch refusal.code {
    case .unauthorized: headers[.wwwAuthenticate] = "Bearer"
    // About a second: a room's time to close, or the interval of checking the disk.
    case .unavailable: headers[.retryAfter] = "1"
    default: break
    }
    if let seconds = refusal.retryAfter { headers[.retryAfter] = "\(seconds)" }
  }

  /// The one mapping from reasons to status codes.
  private static func status(of code: RoomRefusal.Code) -> HTTPResponse.Status {
    switch code {
    case .roomFull, .nameTaken, .alreadyJoined, .notPublishing, .alreadyPublishing, .tooMany, .wrongState, .noTake,
      .takeRolling, .objectPersistence:
      .conflict
    case .invalidName, .invalidDescription, .invalidCandidate, .invalidText, .malformed: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .notJoined, .unknownPeer, .unknownParticipant, .unknownObject, .unknownMethod: .notFound
    case .tooLarge: .contentTooLarge
    case .rateLimited: .tooManyRequests
    case .callFailed: .badGateway
    case .storage: .init(code: 507, reasonPhrase: "Insufficient Storage")
    case .unavailable: .serviceUnavailable
    }
  }

  private static func title(of code: RoomRefusal.Code) -> String {
    switch code {
    case .roomFull: "All seats are taken"
    case .nameTaken: "The name is taken"
    case .invalidName: "The name is not allowed"
    case .unauthorized: "A key or token is needed"
    case .forbidden: "This is not allowed"
    case .notJoined: "Nobody is joined here"
    case .alreadyJoined: "Joined already"
    case .unknownPeer: "There is no such connection"
    case .unknownParticipant: "There is no such participant"
    case .notPublishing: "There is nothing to hear"
    case .alreadyPublishing: "There is a publication already"
    case .invalidDescription: "The session description cannot be used"
    case .invalidCandidate: "The candidate cannot be used"
    case .tooMany: "The limit is reached"
    case .wrongState: "This cannot be done now"
    case .noTake: "No take is rolling"
    case .takeRolling: "A take is already rolling"
    case .invalidText: "The text is not allowed"
    case .unknownObject: "There is no such shared object"
    case .objectPersistence: "The object's persistence differs"
    case .unknownMethod: "There is no such method"
    case .callFailed: "The method failed"
    case .malformed: "The request cannot be read"
    case .tooLarge: "The request is too large"
    case .rateLimited: "This comes too often"
    case .storage: "Nothing can be stored"
    case .unavailable: "Not available now"
    }
  }
}

extension LibraryError: TakeListRefusal {
  /// The problem for a refused edit.
  var problem: Problem {
    switch self {
    case .unknownTake(let id): Problem.unknownTake(id.description)
    case .unknownSong, .unknownPerson, .unknownCue: Problem.notFound(description)
    case .staleRevision: Problem.preconditionFailed(description)
    case .value(let problem): Problem(problem)
    case .takeBusy(_, let state): conflict("The take is still being made", ["state": .string(state.rawValue)])
    case .takeDeleted: conflict("The take is in the trash")
    case .takeNotDeleted: conflict("The take is not in the trash")
    case .songExists(let id): conflict("The song exists already", ["song": .string(id.description)])
    case .titleTaken(_, let id): conflict("The title is taken", ["song": .string(id.description)])
    case .songInUse: conflict("The song is in use")
    case .filesMissing: conflict("Files are missing")
    case .busy, .inUse:
      Problem(
        .serviceUnavailable, "unavailable", "Not available now", description, headers: [.retryAfter: "1"])
    }
  }

  private func conflict(_ title: String, _ members: JSONObject = [:]) -> Problem {
    Problem(.conflict, code, title, description, members: members)
  }
}

extension Problem {
  /// The problem for a value that the domain does not permit.
  init(_ problem: ValueProblem) {
    self = Problem.invalid(
      problem.field, value: problem.value, problem.description, permitted: [problem.permitted])
  }
}

/// An index error caused by the client: a cursor or a limit that no list issues.
protocol TakeListRefusal: Error {
  var problem: Problem { get }
}

extension CatalogError: TakeListRefusal {
  var problem: Problem {
    switch self {
    case .invalidCursor(let cursor): Problem.invalid("cursor", value: cursor, description)
    case .limitOutOfRange(let limit): Problem.invalid("limit", value: "\(limit)", description)
    case .value(let problem): Problem(problem)
    case .unsupportedSort(let sort): Problem.invalid("sort", value: sort.rawValue, description)
    case .unknownTake(let id): Problem.unknownTake(id.description)
    case .storage, .database, .damaged: Problem.indexUnavailable(description)
    default: Problem.internalError
    }
  }
}
