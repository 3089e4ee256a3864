import Hummingbird

/// Paths of OpenTok's older SDKs: `/v2/partner/KEY/…` is `/v2/project/KEY/…`.
struct FormerPaths<Next: HTTPResponder>: HTTPResponder {
  let next: Next

  func respond(to request: Request, context: Next.Context) async throws -> Response {
    guard let path = request.head.path, path.hasPrefix("/v2/partner/") else {
      return try await next.respond(to: request, context: context)
    }
    var head = request.head
    head.path = "/v2/project/\(path.dropFirst("/v2/partner/".count))"
    return try await next.respond(to: Request(head: head, body: request.body), context: context)
  }
}
