import HTTPTypes
import Hummingbird
import Signaling

/// Lets web pages of any origin use WHIP and WHEP (RFC 9725 section 4.7) and read the responses.
///
/// `OriginGuard` runs first: without keys, requests from foreign pages do not get here.
struct CrossOrigin: RouterMiddleware {
  typealias Context = ExchangeContext

  private static let exposed = "Location, ETag, Link, Accept-Patch, Accept-Post, Allow, X-Request-ID"
  private static let accepted = "Authorization, Content-Type, Accept, If-Match"
  private static let methods = "POST, PATCH, DELETE, OPTIONS"
  /// How long a browser may remember a preflight, in seconds.
  private static let maximumAge = "7200"

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    guard request.headers[.origin] != nil else { return response }
    response.headers[.accessControlAllowOrigin] = "*"
    response.headers[.accessControlExposeHeaders] = CrossOrigin.exposed
    if request.method == .options {
      response.headers[.accessControlAllowMethods] = CrossOrigin.methods
      response.headers[.accessControlAllowHeaders] = CrossOrigin.accepted
      response.headers[.accessControlMaxAge] = CrossOrigin.maximumAge
    }
    return response
  }
}

/// Refuses foreign pages if the service is open (see `OriginPolicy`).
struct OriginGuard: RouterMiddleware {
  typealias Context = ExchangeContext

  let policy: OriginPolicy

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    if let objection = policy.objection(to: request.headers[.origin], authority: request.head.authority) {
      throw Problem(RoomRefusal(.forbidden, objection))
    }
    return try await next(request, context)
  }
}
