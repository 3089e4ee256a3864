import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOCore
import Recording
import Signaling

/// OpenTok's REST interface for the servers of applications: sessions, streams, connections, signals, moderation.
struct OpenTokResource {
  let desk: OpenTokDesk
  let limits: ServerLimits

  static let base = "/v2/project/:key"
  private static let session = "\(base)/session/:session"

  var resources: [Resource] {
    [
      Resource("/session/create", door: .opentok).on(.post, .knock) { request, context in
        await create(request, context)
      },
      resource("\(OpenTokResource.session)/stream")
        .on(
          .get, .knock,
          forSession { desk, session, _, _ async throws(OpenTokRefusal) in
            .json(OpenTokBodies.streams(await desk.sessions.state(of: session)))
          }
        )
        .on(
          .put, .knock,
          forSession { desk, session, body, _ async throws(OpenTokRefusal) in
            try await desk.sessions.classify(try OpenTokBodies.classes(body), in: session)
            return .json(OpenTokBodies.streams(await desk.sessions.state(of: session)))
          }),
      resource("\(OpenTokResource.session)/stream/:stream")
        .on(
          .get, .knock,
          forSession { desk, session, _, parts async throws(OpenTokRefusal) in
            try await OpenTokResource.stream(try OpenTokBodies.stream(parts.stream), of: session, desk)
          }),
      resource("\(OpenTokResource.session)/stream/:stream/mute")
        .on(
          .post, .knock,
          forSession { desk, session, _, parts async throws(OpenTokRefusal) in
            let stream = try OpenTokBodies.stream(parts.stream)
            try await desk.sessions.forceMute(stream, in: session, by: desk.principal(in: session))
            return .json(OpenTokBodies.project(parts.project, since: desk.start))
          }),
      resource("\(OpenTokResource.session)/mute")
        .on(
          .post, .knock,
          forSession { desk, session, body, parts async throws(OpenTokRefusal) in
            let (isActive, excluded) = try OpenTokBodies.mute(body)
            try await desk.sessions.forceMuteAll(
              isActive, excluding: excluded, in: session, by: desk.principal(in: session))
            return .json(OpenTokBodies.project(parts.project, since: desk.start))
          }),
      resource("\(OpenTokResource.session)/signal")
        .on(
          .post, .knock,
          forSession { desk, session, body, _ async throws(OpenTokRefusal) in
            try await desk.sessions.signal(try OpenTokBodies.signal(body, to: nil), in: session)
            return .done
          }),
      resource("\(OpenTokResource.session)/connection")
        .on(
          .get, .knock,
          forSession { desk, session, _, _ async throws(OpenTokRefusal) in
            .json(OpenTokBodies.connections(await desk.sessions.state(of: session), of: session))
          }),
      resource("\(OpenTokResource.session)/connection/:connection")
        .on(
          .delete, .knock,
          forSession { desk, session, _, parts async throws(OpenTokRefusal) in
            let connection = try OpenTokBodies.connection(parts.connection)
            try await desk.sessions.forceDisconnect(connection, from: session, by: desk.principal(in: session))
            return .done
          }),
      resource("\(OpenTokResource.session)/connection/:connection/signal")
        .on(
          .post, .knock,
          forSession { desk, session, body, parts async throws(OpenTokRefusal) in
            let connection = try OpenTokBodies.connection(parts.connection)
            try await desk.sessions.signal(try OpenTokBodies.signal(body, to: connection), in: session)
            return .done
          }),
    ] + absent
  }

  // MARK: What projects here do not have

  private var absent: [Resource] {
    let base = OpenTokResource.base
    return [
      lacking(.sip, [(.post, "\(base)/dial")]),
      lacking(
        .dtmf,
        [
          (.post, "\(OpenTokResource.session)/play-dtmf"),
          (.post, "\(OpenTokResource.session)/connection/:connection/play-dtmf"),
        ]),
      lacking(.captions, [(.post, "\(base)/captions")], items: [(.post, "\(base)/captions/:captions/stop")]),
      lacking(
        .render, [(.post, "\(base)/render")], list: "\(base)/render",
        items: [(.get, "\(base)/render/:render"), (.delete, "\(base)/render/:render")]),
    ].flatMap { $0 }
  }

  /// The paths of a feature: what begins something is refused, lists are empty, and nothing is found.
  private func lacking(
    _ feature: OpenTokFeature, _ beginnings: [(HTTPRequest.Method, String)], list: String? = nil,
    items: [(HTTPRequest.Method, String)] = []
  ) -> [Resource] {
    var byPath: [String: Resource] = [:]
    func add(_ method: HTTPRequest.Method, _ path: String, _ answer: @escaping ProjectAnswer) {
      byPath[path] = byPath[path, default: resource(path)].on(method, .knock, forProject(answer))
    }
    for (method, path) in beginnings {
      add(method, path) { desk, body, parts async throws(OpenTokRefusal) in
        if let text = body["sessionId"]?.string ?? parts.session {
          let session = try desk.session(text, of: parts.project)
          guard session.settings.mode == .routed || feature == .dtmf || feature == .render else {
            throw .conflict("This needs a routed session, and this one is relayed; it would be refused anyhow")
          }
        }
        throw feature.refusal
      }
    }
    if let list { add(.get, list) { _, _, _ async throws(OpenTokRefusal) in .json(OpenTokBodies.list([])) } }
    for (method, path) in items { add(method, path) { _, _, _ async throws(OpenTokRefusal) in throw feature.unknown } }
    return byPath.keys.sorted().compactMap { byPath[$0] }
  }

  // MARK: Answers

  private func create(_ request: Request, _ context: ExchangeContext) async -> Response {
    // The vendor answers in XML unless JSON is named; so do SDKs that read it expect.
    let readsJSON = OpenTokResource.accepts(request, "json")
    return await OpenTokResource.response(readsJSON: readsJSON) { () async throws(OpenTokRefusal) in
      let project = try desk.authenticated(request, context)
      let form = String(decoding: try await OpenTokResource.bytes(of: request, limit: limits.body), as: UTF8.self)
      let settings = try OpenTokCreation.settings(form: form)
      let session = try OpenTokSessionID(
        of: project, settings, nonce: ULID(at: MonotonicClock.wall), hashes: desk.projects.hashes)
      await desk.sessions.note(session)
      return OpenTokCreation.answer(session, readsJSON: readsJSON)
    }
  }

  private static func stream(
    _ id: OpenTokStreamID, of session: OpenTokSessionID, _ desk: OpenTokDesk
  ) async throws(OpenTokRefusal) -> OpenTokAnswer {
    let streams = await desk.sessions.state(of: session)?.streams ?? []
    guard let stream = streams.first(where: { $0.id == id }) else {
      // The vendor's own status for this.
      throw OpenTokRefusal(status: 408, "Stream not found: \(id) is not in this session; GET …/stream lists them")
    }
    return .json(OpenTokBodies.stream(stream))
  }

  // MARK: Requests

  /// What the path names.
  struct Parts: Sendable {
    var project: OpenTokProject
    var session: String?
    var stream = ""
    var connection = ""

    init(_ project: OpenTokProject, _ context: ExchangeContext) {
      self.project = project
      session = try? context.part("session")
      stream = (try? context.part("stream")) ?? ""
      connection = (try? context.part("connection")) ?? ""
    }
  }

  typealias ProjectAnswer =
    @Sendable (OpenTokDesk, JSONObject, Parts) async throws(OpenTokRefusal) -> OpenTokAnswer
  typealias SessionAnswer =
    @Sendable (OpenTokDesk, OpenTokSessionID, JSONObject, Parts) async throws(OpenTokRefusal) -> OpenTokAnswer

  private func resource(_ path: String) -> Resource { Resource(path, door: .opentok) }

  /// A request about one session of the project in the path.
  private func forSession(_ answer: @escaping SessionAnswer) -> Resource.Handler {
    forProject { desk, body, parts async throws(OpenTokRefusal) in
      try await answer(desk, try desk.session(parts.session ?? "", of: parts.project), body, parts)
    }
  }

  /// A request of the project in the path, with its body.
  private func forProject(_ answer: @escaping ProjectAnswer) -> Resource.Handler {
    let (desk, limit) = (desk, limits.body)
    return { request, context in
      // A client that only reads XML says so.
      let readsJSON = OpenTokResource.accepts(request, "json") || !OpenTokResource.accepts(request, "xml")
      return await OpenTokResource.response(readsJSON: readsJSON) { () async throws(OpenTokRefusal) in
        let project = try desk.authenticated(request, context, key: (try? context.part("key")) ?? "")
        let body = try OpenTokBodies.object(try await OpenTokResource.bytes(of: request, limit: limit))
        return try await answer(desk, body, Parts(project, context))
      }
    }
  }

  static func response(
    readsJSON: Bool, _ body: () async throws(OpenTokRefusal) -> OpenTokAnswer
  ) async -> Response {
    do throws(OpenTokRefusal) {
      return Response(try await body())
    } catch {
      let headers: HTTPFields = error.retryAfter.map { [.retryAfter: "\($0)"] } ?? [:]
      return Response(OpenTokAnswer(error, readsJSON: readsJSON), headers: headers)
    }
  }

  static func accepts(_ request: Request, _ kind: String) -> Bool {
    request.headers[.accept]?.lowercased().contains(kind) ?? false
  }

  /// - Throws: `OpenTokRefusal` 413.
  static func bytes(of request: Request, limit: Int) async throws(OpenTokRefusal) -> [UInt8] {
    do {
      return try await request.bytes(limit: limit)
    } catch let problem as Problem {
      throw OpenTokRefusal(status: problem.status.code, problem.detail)
    } catch {
      throw .badRequest("the body could not be read")
    }
  }
}
