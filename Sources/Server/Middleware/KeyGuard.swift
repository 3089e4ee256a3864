import Hummingbird
import Signaling

/// Lets requests to REST resources pass only with an API key, where the service has keys.
///
/// Rooms' own ways in (WHIP, WHEP, the signaling link) look at join tokens themselves.
struct KeyGuard: RouterMiddleware {
  typealias Context = ExchangeContext

  let gatekeeper: Gatekeeper

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    try gatekeeper.checkKey(request.headers)
    return try await next(request, context)
  }
}
