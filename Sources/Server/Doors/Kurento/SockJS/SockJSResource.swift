import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

/// Kurento Tree for pages that connect by sockjs-client (SockJS 0.3.3), as KurentoTree.js does.
///
/// Its WebSocket transport is a signaling link with other framing (`SockJSFraming`); its requests are here.
struct SockJSResource {
  let door: KurentoTreeDoor

  private static let base = "/kurento-tree"
  private static let script = "application/javascript"
  /// Longest identifier of a session, in bytes; sockjs-client's have 8.
  private static let longestSession = 128

  /// True for `/kurento-tree/{server}/{session}/websocket`.
  static func isWebSocket(_ parts: [String]) -> Bool {
    parts.count == 4 && "/\(parts[0])" == base && parts[3] == "websocket"
      && isIdentifier(parts[1]) && isIdentifier(parts[2])
  }

  /// Section "Session URLs": any text without dots.
  private static func isIdentifier(_ text: String) -> Bool {
    (1...longestSession).contains(text.utf8.count) && !text.contains(".")
  }

  var resources: [Resource] {
    let session = "\(SockJSResource.base)/:server/:session"
    return [
      Resource("\(SockJSResource.base)/info", door: .kurentoTree).on(.get, .look) { _, _ in SockJSResource.info },
      Resource("\(session)/websocket", door: .kurentoTree).on(.get, .look) { _, context in
        _ = try SockJSResource.session(context)
        throw Problem.upgradeRequired(at: KurentoTreeDoor.self)
      },
      Resource("\(session)/xhr_streaming", door: .kurentoTree).on(.post, .knock) { request, context in
        try await receive(.streaming, request, context)
      },
      Resource("\(session)/xhr", door: .kurentoTree).on(.post, .knock) { request, context in
        try await receive(.polling, request, context)
      },
      Resource("\(session)/xhr_send", door: .kurentoTree).on(.post, .knock) { request, context in
        try await send(request, context)
      },
    ]
  }

  /// What sockjs-client asks for first. Its `origins` are not used; `entropy` is for browsers with poor random numbers.
  private static var info: Response {
    Response(json: [
      "websocket": true, "cookie_needed": false, "origins": ["*:*"],
      "entropy": .integer(Int64(UInt32.random(in: 0 ... .max))),
    ])
  }

  /// The session of the path; the server's part is for balancers and means nothing.
  private static func session(_ context: ExchangeContext) throws(Problem) -> String {
    let (server, session) = (try context.part("server"), try context.part("session"))
    guard isIdentifier(server), isIdentifier(session) else {
      throw Problem.notFound(
        "a session of SockJS is named by two texts of at most \(longestSession) bytes without dots")
    }
    return session
  }

  /// A response that carries frames, of a new session if there is none of that name.
  private func receive(
    _ transport: SockJSSession.Transport, _ request: Request, _ context: ExchangeContext
  ) async throws -> Response {
    let id = try SockJSResource.session(context)
    let accept = request.headers[.accept]
    guard MediaTypeName.accepts(accept, SockJSResource.script) else {
      throw Problem.notAcceptable(accept ?? "", offered: SockJSResource.script)
    }
    let link = try await link(id, request, context)
    let headers: HTTPFields = [
      .contentType: "\(SockJSResource.script); charset=UTF-8", .cacheControl: "no-store, no-transform",
      .accelBuffering: "no",
    ]
    guard let receiver = link.attach(transport, over: context.channel) else {
      let text = SockJSSession.refusal(transport)
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in try await link.write(to: receiver, &writer) })
  }

  private func link(_ id: String, _ request: Request, _ context: ExchangeContext) async throws -> SockJSLink {
    let bearer = KurentoExchange.bearer(of: request, context)
    let opened = door.sockets.open(id, from: bearer.origin.address) {
      SockJSLink(
        number: door.sessions.nextLink(), origin: bearer.origin, places: door.means.turnstile.places,
        limits: door.means.limits.kurento)
    }
    guard let opened else { throw Problem.tooManySessions }
    guard opened.isNew else { return opened.link }
    guard let session = door.session(KurentoClientTraits(request), bearer) else {
      door.sockets.remove(id)
      throw Problem.tooManySessions
    }
    opened.link.move(to: session)
    await session.attach(opened.link)
    return opened.link
  }

  /// Messages of the client: a JSON array of texts, whatever type the body claims to have.
  private func send(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let id = try SockJSResource.session(context)
    guard let link = door.sockets.find(id) else {
      throw Problem.notFound("there is no session \"\(id)\"; POST …/xhr_streaming begins it")
    }
    let bytes = try await request.bytes(limit: door.means.limits.body)
    // As many as the link takes at once: a page gathers its candidates while a request is on its way.
    let limits = JSONLimits(
      bytes: door.means.limits.body, depth: 2, stringBytes: door.means.limits.body,
      values: max(2, door.means.limits.kurento.messageBurst))
    guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self),
      let messages = SockJSFrame.read(text, limits: limits)
    else {
      throw Problem(
        .badRequest, "malformed", "The body cannot be read",
        "the body must be a JSON array of at most \(limits.values &- 1) texts, [\"…\"]")
    }
    await link.receive(messages, over: context.channel)
    return Response.empty(
      .noContent, headers: [.contentType: "text/plain; charset=UTF-8", .cacheControl: "no-store"])
  }
}
