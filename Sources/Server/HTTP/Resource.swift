import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Signaling

/// One path with its methods: every other method gets 405 and `Allow`.
struct Resource: Sendable {
  typealias Handler = @Sendable (Request, ExchangeContext) async throws -> Response

  let path: String
  /// The door to which it belongs; it decides where credentials are looked for.
  let door: Authorisation.Door
  private(set) var handlers: [(method: HTTPRequest.Method, action: Authorisation.Action, handler: Handler)] = []
  /// Further header fields of the response to OPTIONS (Accept-Post, Accept-Patch).
  let options: HTTPFields

  /// The methods of RFC 9110 and RFC 5789; the HTTP parser knows more, but no resource here uses them.
  static let standardMethods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
  ]

  init(_ path: String, door: Authorisation.Door = .rest, options: HTTPFields = [:]) {
    self.path = path
    self.door = door
    self.options = options
  }

  /// - Parameter action: what such a request does; the table of rights says who may.
  func on(
    _ method: HTTPRequest.Method, _ action: Authorisation.Action, _ handler: @escaping Handler
  ) -> Resource {
    var resource = self
    resource.handlers.append((method, action, handler))
    return resource
  }

  var allowed: [HTTPRequest.Method] {
    let methods = handlers.map(\.method)
    return methods + (methods.contains(.get) ? [.head] : []) + [.options]
  }
}

extension RouterMethods<ExchangeContext> {
  /// Adds the methods of `resource`, with HEAD for its GET.
  func add(_ resource: Resource, guardedBy routeGuard: RouteGuard) {
    let path = RouterPath(resource.path)
    let door = resource.door
    for (method, action, handler) in resource.handlers {
      on(path, method: method) { request, context in
        let context = try await routeGuard.admit(request, context, to: action, at: door)
        return try routeGuard.turnstile.quotas.placed(try await handler(request, context), for: context.caller)
      }
    }
    if let (_, action, handler) = resource.handlers.first(where: { $0.method == .get }) {
      on(path, method: .head) { request, context in
        try await handler(request, try await routeGuard.admit(request, context, to: action, at: door))
          .createHeadResponse()
      }
    }
  }

  /// Adds OPTIONS, and 405 for the methods that `resource` does not have (`OtherMethods`).
  func addOtherMethods(of resource: Resource, guardedBy routeGuard: RouteGuard) {
    let path = RouterPath(resource.path)
    let allowed = resource.allowed
    on(path, method: .options) { request, context in
      try routeGuard.admit(request, context, toAskFor: resource)
      var headers = resource.options
      headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
      return Response.empty(.noContent, headers: headers)
    }
    for method in Resource.standardMethods where !allowed.contains(method) {
      on(path, method: method) { request, context -> Response in
        try routeGuard.admit(request, context, toAskFor: resource)
        throw Problem.methodNotAllowed(method, allowed: allowed)
      }
    }
  }
}

/// The context of one request.
struct ExchangeContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection of the request.
  let channel: any Channel
  /// The checked credentials of the request (`RouteGuard`); lists show nothing beyond them.
  var grant = Grant.nothing
  /// What becomes of the request, for the log; shared by all copies of this context.
  let verdict = RequestVerdict()
  /// The client with what it has proved, once the `RouteGuard` knows it.
  private var admitted: Caller?
  /// The client, for quotas.
  var caller: Caller {
    get { admitted ?? Caller(address: origin.address, credential: .open) }
    set { admitted = newValue }
  }
  /// Where the request comes from, once the `RouteGuard` knows it.
  private var found: Turnstile.Origin?
  /// Where the request comes from.
  var origin: Turnstile.Origin {
    get { found ?? Turnstile.Origin(channel) }
    set { found = newValue }
  }

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The network address of the client.
  var address: String? { origin.host }

  /// The request's identifier, shared by the log and the response.
  var requestID: String { logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? "" }
}

extension Response {
  /// An uncacheable JSON response: rooms and takes change all the time.
  init(json: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    var headers = headers
    headers[.contentType] = MediaTypeName.json
    headers[.cacheControl] = "no-store"
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes + [0x0A])))
  }

  /// A response without a body or content length.
  static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Response {
    var response = Response(status: status, headers: headers)
    if status == .noContent || status == .notModified { response.headers[.contentLength] = nil }
    return response
  }
}
