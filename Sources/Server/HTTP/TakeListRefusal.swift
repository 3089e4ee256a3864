import Catalog
import Music

/// An error of the index that is the client's: a cursor or a limit that no list gives out.
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
    case .storage, .damaged: Problem.indexUnavailable(description)
    default: Problem.internalError
    }
  }
}
