import HTTPTypes
import Hummingbird

/// Tells browsers to reach this host by TLS only (RFC 6797), so that nobody on the way can offer it without.
///
/// Only a service with a certificate of its own says so; behind a proxy this is the proxy's decision. Subdomains may
/// belong to others, and addresses are never remembered (RFC 6797 section 8.3).
struct StrictTransport: RouterMiddleware {
  typealias Context = ExchangeContext

  /// Two years, as browsers' lists require.
  static let policy = "max-age=63072000"

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    response.headers[.strictTransportSecurity] = StrictTransport.policy
    return response
  }
}
