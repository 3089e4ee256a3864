import HTTPTypes
import Hummingbird

/// One path with its methods: whatever else is tried on it is answered by 405 and `Allow`.
struct Resource: Sendable {
  typealias Handler = @Sendable (Request, ExchangeContext) async throws -> Response

  let path: String
  private(set) var handlers: [(method: HTTPRequest.Method, handler: Handler)] = []
  /// Further header fields of the answer to OPTIONS (Accept-Post, Accept-Patch).
  let options: HTTPFields

  /// The methods of RFC 9110 and RFC 5789; the HTTP parser knows more, which nothing here has.
  static let standardMethods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
  ]

  init(_ path: String, options: HTTPFields = [:]) {
    self.path = path
    self.options = options
  }

  func on(_ method: HTTPRequest.Method, _ handler: @escaping Handler) -> Resource {
    var resource = self
    resource.handlers.append((method, handler))
    return resource
  }

  var allowed: [HTTPRequest.Method] {
    let methods = handlers.map(\.method)
    return methods + (methods.contains(.get) ? [.head] : []) + [.options]
  }
}

extension RouterMethods<ExchangeContext> {
  /// Adds all methods of `resource`, with HEAD for its GET, OPTIONS, and 405 for the rest.
  func add(_ resource: Resource) {
    let path = RouterPath(resource.path)
    let allowed = resource.allowed
    for (method, handler) in resource.handlers { on(path, method: method, use: handler) }
    if let (_, handler) = resource.handlers.first(where: { $0.method == .get }) {
      on(path, method: .head) { request, context in
        try await handler(request, context).createHeadResponse()
      }
    }
    let options = resource.options
    on(path, method: .options) { _, _ in
      var headers = options
      headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
      return Response.empty(.noContent, headers: headers)
    }
    for method in Resource.standardMethods where !allowed.contains(method) {
      on(path, method: method) { _, _ -> Response in
        throw Problem.methodNotAllowed(method, allowed: allowed)
      }
    }
  }
}
