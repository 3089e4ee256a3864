import HTTPTypes
import Hummingbird
import Logging
import Music
import NIOCore
import NIOHTTP1
import Recording
import Signaling

/// Converts errors to `application/problem+json` without revealing internal details.
struct ProblemMiddleware: RouterMiddleware {
  typealias Context = ExchangeContext

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPParserError {
      // The connection cannot carry a response any more; Hummingbird closes it.
      throw error
    } catch {
      let problem = ProblemMiddleware.problem(for: error, request)
      // An unknown method is the client's mistake, and anybody can make it as often as they like.
      if problem.status.kind == .serverError, problem.status != .notImplemented {
        context.logger.error("a request failed", metadata: ["error": "\(error)", "status": "\(problem.status.code)"])
      }
      let response = ProblemPage.isWanted(by: request) ? ProblemPage.response(problem) : problem.response(to: request)
      // A body after the head of a HEAD response would be read as the next response.
      return request.method == .head ? response.createHeadResponse() : response
    }
  }

  static func problem(for error: any Error, _ request: Request) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let refusal as RoomRefusal: return Problem(refusal)
    case is NIOTooManyBytesError: return Problem.tooLarge("the body", limit: ServerLimits().body)
    case let error as HTTPError where error.status == .notFound:
      guard Resource.standardMethods.contains(request.method) else {
        return Problem(
          .notImplemented, "unknown-method", "There is no such method", "\(request.method.rawValue) is not supported",
          permitted: Resource.standardMethods.map(\.rawValue))
      }
      if let problem = Problem.lateUpgrade(request) { return problem }
      if ProblemPage.isWanted(by: request) { return ProblemPage.nothing }
      return Problem.notFound("there is nothing at \"\(request.uri.path.prefix(256))\"; docs/rest.md lists what is")
    case let error as FileProblem where error.isTooLarge:
      return Problem(.conflict, "too-many", "There are too many", "\(error); shorten or remove some of it")
    case let error as FileProblem: return TakeFilesResource.damaged(error) ?? Problem.internalError
    case let error as any TakeListRefusal: return error.problem
    case let error as any IndexProblem where error.isIndexUnavailable: return Problem.indexUnavailable("\(error)")
    default: return Problem.internalError
    }
  }
}
