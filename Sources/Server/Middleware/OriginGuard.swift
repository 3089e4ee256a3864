import Hummingbird
import Signaling

/// Keeps the pages of others away from a service that stands open (see `OriginPolicy`).
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
