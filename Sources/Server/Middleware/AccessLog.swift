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
    note(
      request.method, route: context.endpointPath ?? "none", id: context.requestID, since: start,
      status: response.status, isRefused: context.verdict.isRefused, in: &response.headers)
    return response
  }

  /// Counts and logs a response, and gives it the identifier of its request.
  ///
  /// - Parameter isRefused: true if the response refuses in a dialect's own words, with status 200.
  func note(
    _ method: HTTPRequest.Method, route: String, id: String, since start: MonotonicTime, status: HTTPResponse.Status,
    isRefused: Bool = false, in headers: inout HTTPFields
  ) {
    let elapsed = MonotonicClock.now - start
    metrics.count(method: method, route: route, status: status, elapsed: elapsed)
    headers[.requestID] = id
    // Requests that changed something are worth a line. Probes, polls and downloads are not, and refusals are counted
    // only: a stranger can have as many as the line bears. The metadata are only made for a line that is written.
    let isRefused = isRefused || status.kind == .clientError || status == .serviceUnavailable
    let changes = !isRefused && [.post, .put, .patch, .delete].contains(method)
    logger.log(
      level: changes ? .info : .debug, "request",
      metadata: [
        "request": "\(id)", "method": "\(AccessLog.safe(method))", "route": "\(route)", "status": "\(status.code)",
        "ms": "\(Int(elapsed.milliseconds.rounded()))",
      ])
  }

  private static func safe(_ method: HTTPRequest.Method) -> String {
    Resource.standardMethods.contains(method) ? method.rawValue : "other"
  }
}
