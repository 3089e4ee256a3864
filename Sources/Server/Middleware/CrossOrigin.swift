import HTTPTypes
import Hummingbird
import Signaling

/// Lets web pages of any origin use WHIP and WHEP (RFC 9725 section 4.7) and Kurento's doors, and read the responses.
///
/// `OriginGuard` runs first: without keys, requests from foreign pages do not get here.
struct CrossOrigin: RouterMiddleware {
  typealias Context = ExchangeContext

  /// True where pages send cookies along, as sockjs-client does: a browser then wants to read the page's own origin. No
  /// cookie counts there, so a foreign page gains nothing by it.
  var allowsCredentials = false

  private static let exposed = "Location, ETag, Link, Accept-Patch, Accept-Post, Allow, X-Request-ID"
  private static let accepted =
    "Authorization, Content-Type, Accept, If-Match, X-TB-TOKEN-AUTH, X-TB-VERSION, X-TB-CLIENT-VERSION"
  private static let methods = "POST, PUT, PATCH, DELETE, OPTIONS"
  /// How long a browser may remember a preflight, in seconds.
  private static let maximumAge = "7200"

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    guard let origin = request.headers[.origin] else { return response }
    response.headers[.accessControlAllowOrigin] = allowsCredentials ? origin : "*"
    if allowsCredentials {
      response.headers[.accessControlAllowCredentials] = "true"
      response.headers[.vary] = "Origin"
    }
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
