import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Signaling

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

/// What is known of one request beside the request itself.
struct ExchangeContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection that the request came on.
  let channel: any Channel
  /// What the request's credentials allow; resources behind the `KeyGuard` show no more than that.
  var access = Access.everything

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The request's identifier, which the log and the answer have in common.
  var requestID: String { logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? "" }
}

extension Response {
  /// A JSON answer that no cache keeps: rooms and takes change all the time.
  init(json: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    var headers = headers
    headers[.contentType] = MediaTypeName.json
    headers[.cacheControl] = "no-store"
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes + [0x0A])))
  }

  /// An answer that has no body, and no length of one.
  static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Response {
    var response = Response(status: status, headers: headers)
    if status == .noContent || status == .notModified { response.headers[.contentLength] = nil }
    return response
  }
}
