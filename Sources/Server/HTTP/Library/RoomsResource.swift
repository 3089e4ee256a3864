import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/rooms` and `/v1/rooms/{room}`: rooms with their members and the rolling take.
struct RoomsResource {
  let broker: Broker
  let index: any TakeIndex

  var resources: [Resource] {
    [
      Resource("/v1/rooms").on(.get, .listRooms) { request, context in
        try await list(request, context.grant.principal)
      },
      Resource("/v1/rooms/:room")
        .on(.get, .readRoom) { request, context in try await room(request, context) }
        .on(.delete, .closeRoom) { _, context in
          try await broker.close(try context.room())
          return .empty(.noContent)
        },
      Resource("/v1/rooms/:room/members/:member").on(.delete, .kick) { _, context in
        let text = try context.part("member")
        guard let member = ParticipantID(text) else {
          throw RoomRefusal(
            .unknownParticipant, "\"\(text.prefix(64))\" is no member; GET /v1/rooms/{room} lists them")
        }
        try await broker.kick(member, from: try context.room(), by: context.grant.principal, at: .rest)
        return .empty(.noContent)
      },
    ]
  }

  /// Live rooms with their state, and every room that ever had a session, sorted by name.
  private func list(_ request: Request, _ principal: Principal) async throws -> Response {
    try request.checkQuery(only: [])
    let live = await broker.snapshots().filter { principal.reaches($0.room) }
    let names = Set(live.map(\.room))
    let quiet = try await index.rooms().filter { !names.contains($0) && principal.reaches($0) }
    let items =
      live.map { ($0.room, Representation.room($0)) } + quiet.map { ($0, Representation.room($0)) }
    // A few hundred rooms at most: one page, in the form of a list that can grow more pages.
    return Response(json: Representation.list(items.sorted { $0.0 < $1.0 }.map(\.1), next: nil))
  }

  private func room(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let name = try context.room()
    if let snapshot = await broker.snapshot(of: name) { return Response(json: Representation.room(snapshot)) }
    guard try await index.rooms().contains(name) else {
      throw Problem.notFound("nobody is in a room \"\(name)\", and it never had a session; the first join creates it")
    }
    return Response(json: Representation.room(name))
  }
}

/// `/v1/sessions`: the sessions of all rooms.
struct SessionsResource {
  let index: any TakeIndex

  var resources: [Resource] {
    [
      Resource("/v1/sessions").on(.get, .readSessions) { request, _ in
        let list = try ListQuery(request, permitted: ["room", "after", "before"])
        let page = try await index.sessions(
          SessionQuery(
            room: try list.room(), startedAfter: try list.time("after"), startedBefore: try list.time("before"),
            limit: try list.limit, cursor: list.cursor))
        return Response(page: page.items.map(Representation.session), next: page.next, of: request)
      },
      Resource("/v1/sessions/:session").on(.get, .readSessions) { _, context in
        let id: SessionID = try context.identifier("session")
        guard let session = try await index.session(id) else {
          throw Problem.notFound("there is no session \(id); GET /v1/sessions lists them")
        }
        return Response(json: Representation.session(session))
      },
    ]
  }
}
