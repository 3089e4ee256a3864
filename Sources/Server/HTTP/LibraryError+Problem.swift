import HTTPTypes
import Music
import Rooms
import Signaling

extension LibraryError: TakeListRefusal {
  /// What HTTP answers to an edit that was refused.
  var problem: Problem {
    switch self {
    case .unknownTake(let id): Problem.unknownTake(id.description)
    case .unknownSong, .unknownPerson, .unknownCue: Problem.notFound(description)
    case .staleRevision: Problem.preconditionFailed(description)
    case .value(let problem): Problem(problem)
    case .takeBusy(_, let state): conflict("The take is still being made", ["state": .string(state.rawValue)])
    case .takeDeleted: conflict("The take is in the trash")
    case .takeNotDeleted: conflict("The take is not in the trash")
    case .songExists(let id): conflict("There is such a song", ["song": .string(id.description)])
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
  /// A value that the domain does not permit.
  init(_ problem: ValueProblem) {
    self = Problem.invalid(
      problem.field, value: problem.value, problem.description, permitted: [problem.permitted])
  }
}
