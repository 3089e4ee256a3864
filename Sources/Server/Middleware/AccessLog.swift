import HTTPTypes
import Hummingbird
import Logging
import Machines
import Recording
import Rooms

/// Gives every request an identifier, repeated in the response, and logs the outcome.
///
/// Addresses, queries and header fields are not logged, because they may hold tokens. The path is logged as the pattern
/// of its route, so that clients cannot write into the log.
struct AccessLog: RouterMiddleware {
  typealias Context = ExchangeContext

  let metrics: RequestMetrics
  let logger: Logger

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    let start = MonotonicClock.now
    var response = try await next(request, context)
    let route = context.endpointPath ?? "none"
    let elapsed = MonotonicClock.now - start
    metrics.count(method: request.method, route: route, status: response.status, elapsed: elapsed)
    response.headers[.requestID] = context.requestID
    let metadata: Logger.Metadata = [
      "request": "\(context.requestID)",
      "method": "\(AccessLog.safe(request.method))", "route": "\(route)", "status": "\(response.status.code)",
      "ms": "\(Int(elapsed.milliseconds.rounded()))",
    ]
    // Requests that change something are worth a line; probes, polls and downloads are not.
    let changes = [.post, .put, .patch, .delete].contains(request.method)
    logger.log(level: changes ? .info : .debug, "request", metadata: metadata)
    return response
  }

  private static func safe(_ method: HTTPRequest.Method) -> String {
    Resource.standardMethods.contains(method) ? method.rawValue : "other"
  }
}
