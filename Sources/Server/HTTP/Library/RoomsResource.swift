import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/rooms` and `/v1/rooms/{room}`: rooms with their members and the rolling take.
struct RoomsResource {
  let broker: Broker
  let index: any TakeIndex
  let backings: Backings
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/rooms").on(.get, .listRooms) { request, context in
        try await list(request, context.grant.principal)
      },
      Resource("/v1/rooms/:room", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.get, .readRoom) { request, context in try await room(request, context) }
        .on(.patch, .arrangeRoom) { request, context in try await arrange(request, context) }
        .on(.delete, .closeRoom) { _, context in
          let room = try context.room()
          try await broker.close(room)
          try await backings.removeAll(of: room)
          return .empty(.noContent)
        },
      Resource("/v1/rooms/:room/members/:member").on(.delete, .kick) { _, context in
        try await broker.kick(
          try member(context), from: try context.room(), by: context.grant.principal, at: .rest)
        return .empty(.noContent)
      },
      Resource("/v1/rooms/:room/members/:member/mute")
        .on(.put, .mute) { _, context in try await mute(true, context) }
        .on(.delete, .mute) { _, context in try await mute(false, context) },
    ]
  }

  /// Chooses how the room's musicians hear each other; also of a room that nobody is in.
  private func arrange(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let name = try context.room()
    let fields = try await request.patch(["topology"], limit: limits.body)
    let words = RoomPolicy.Topology.allCases.map(\.rawValue)
    guard let topology = RoomPolicy.Topology(rawValue: try fields.string("topology")) else {
      throw fields.invalid("topology", mustBe: "\"routed\" or \"mesh\"", permitted: words)
    }
    try await broker.choose(topology, in: name)
    return .empty(.noContent)
  }

  private func mute(_ isMuted: Bool, _ context: ExchangeContext) async throws -> Response {
    try await broker.mute(
      try member(context), isMuted, in: try context.room(), by: context.grant.principal, at: .rest)
    return .empty(.noContent)
  }

  private func member(_ context: ExchangeContext) throws -> ParticipantID {
    let text = try context.part("member")
    guard let member = ParticipantID(text) else {
      throw RoomRefusal(
        .unknownParticipant, "\"\(text.prefix(64))\" is no member; GET /v1/rooms/{room} lists them")
    }
    return member
  }

  /// Live rooms with their state, and every room that ever had a session, sorted by name.
  private func list(_ request: Request, _ principal: Principal) async throws -> Response {
    let search = try RoomSearch(request)
    let live = await broker.snapshots().filter { principal.reaches($0.room) }
    let names = Set(live.map(\.room))
    let quiet = try await index.rooms().filter { !names.contains($0) && principal.reaches($0) }
    var found: [(name: RoomName, snapshot: RoomSnapshot?)] = []
    for room in live where search.finds(room.room, room.activity, startedAt: room.startedAt) {
      found.append((room.room, room))
    }
    for name in quiet where search.finds(name, .empty, startedAt: nil) { found.append((name, nil)) }
    found.sort { $0.name < $1.name }
    let page = found.prefix(search.limit)
    let items = page.map { entry in
      entry.snapshot.map { Representation.room($0) } ?? Representation.room(entry.name)
    }
    let next = found.count > search.limit ? page.last.map { RoomSearch.cursor(after: $0.name) } : nil
    return Response(json: Representation.list(items, next: next))
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
        let query = SessionQuery(
          room: try list.room(), startedAfter: try list.time("after"), startedBefore: try list.time("before"),
          limit: try list.limit, cursor: list.cursor)
        return try await Response.page(of: query, in: index, to: request) {
          PageText(try await index.sessions($0), Representation.session)
        }
      },
      Resource("/v1/sessions/:session").on(.get, .readSessions) { _, context in
        let id: SessionID = try context.identifier("session")
        guard let session = try await index.session(id) else {
          throw Problem.unknownSession(id.description)
        }
        return Response(json: Representation.session(session))
      },
    ]
  }
}
