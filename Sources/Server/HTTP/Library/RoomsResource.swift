import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/rooms` and `/v1/rooms/{room}`: who is in, and what is being recorded.
struct RoomsResource {
  let broker: Broker
  let index: any TakeIndex

  var resources: [Resource] {
    [
      Resource("/v1/rooms").on(.get) { request, context in
        try await list(request, context.access)
      },
      Resource("/v1/rooms/:room").on(.get) { request, context in try await room(request, context) },
    ]
  }

  /// Live rooms with all that is known of them, and every room that ever had a session, by name.
  private func list(_ request: Request, _ access: Access) async throws -> Response {
    try request.checkQuery(only: [])
    let live = await broker.snapshots().filter { access.admits(to: $0.room) }
    let names = Set(live.map(\.room))
    let quiet = try await index.rooms().filter { !names.contains($0) && access.admits(to: $0) }
    let items =
      live.map { ($0.room, Representation.room($0)) } + quiet.map { ($0, Representation.room($0)) }
    // A few hundred rooms at most: one page, in the form of a list that may get more.
    return Response(json: Representation.list(items.sorted { $0.0 < $1.0 }.map(\.1), next: nil))
  }

  private func room(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let name = try context.room()
    if let snapshot = await broker.snapshot(of: name) { return Response(json: Representation.room(snapshot)) }
    guard try await index.rooms().contains(name) else {
      throw Problem.notFound("nobody is in a room \"\(name)\", and nobody ever was; it is made when somebody joins")
    }
    return Response(json: Representation.room(name))
  }
}

/// `/v1/sessions`: when people met.
struct SessionsResource {
  let index: any TakeIndex

  var resources: [Resource] {
    [
      Resource("/v1/sessions").on(.get) { request, _ in
        let list = try ListQuery(request, permitted: ["room", "after", "before"])
        let page = try await index.sessions(
          SessionQuery(
            room: try list.room(), startedAfter: try list.time("after"), startedBefore: try list.time("before"),
            limit: try list.limit, cursor: list.cursor))
        return Response(page: page.items.map(Representation.session), next: page.next, of: request)
      },
      Resource("/v1/sessions/:session").on(.get) { _, context in
        let id: SessionID = try context.identifier("session")
        guard let session = try await index.session(id) else {
          throw Problem.notFound("there is no session \(id); GET /v1/sessions lists them")
        }
        return Response(json: Representation.session(session))
      },
    ]
  }
}
