import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// Starting, stopping, splitting and marking takes from outside the room.
struct TakeCommandsResource {
  let broker: Broker
  let index: any TakeIndex
  let quotas: Quotas
  let limits: ServerLimits

  var resources: [Resource] {
    let json: HTTPFields = [.acceptPost: MediaTypeName.json]
    return [
      Resource("/v1/rooms/:room/takes", options: json).on(.post, .runTakes) { request, context in
        try await start(request, context)
      },
      Resource("/v1/takes/:take/stop").on(.post, .runTakes) { request, context in
        _ = try await request.fields([], limit: limits.body)
        let take = try await rolling(context)
        let reply = try await broker.stopTake(in: take.room)
        return try await answer(reply, room: take.room, status: .ok)
      },
      Resource("/v1/takes/:take/split", options: json).on(.post, .runTakes) { request, context in
        let song = try await song(in: request)
        let take = try await rolling(context)
        try quotas.begin(.take, context.caller, room: take.room)
        let reply = try await broker.splitTake(in: take.room, song: song)
        return try await answer(reply, room: take.room, status: .created)
      },
    ]
  }

  private func start(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    try quotas.begin(.take, context.caller, room: room)
    let song = try await song(in: request)
    return try await answer(try await broker.startTake(in: room, song: song), room: room, status: .created)
  }

  private func song(in request: Request) async throws -> String? {
    try await request.fields(["song"], limit: limits.body).optionalString("song")
  }

  /// The take of the path, which must be the rolling one of its room.
  private func rolling(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    guard await broker.snapshot(of: take.room)?.take?.id == id else {
      throw Problem(
        .conflict, RoomRefusal.Code.noTake.rawValue, "The take is not rolling",
        "the take is \(take.state.rawValue); only a rolling one can be stopped, split or marked",
        permitted: [TakeState.rolling.rawValue], members: ["state": .string(take.state.rawValue)])
    }
    return take
  }

  /// The take begun or ended by the command, as GET would show it.
  private func answer(_ reply: RoomReply, room: RoomName, status: HTTPResponse.Status) async throws -> Response {
    guard case .take(let id, let number) = reply else { throw Problem.internalError }
    let body: JSONValue
    if let take = try await index.take(id) {
      body = .object(Representation.take(take))
    } else {
      // A take without audio is discarded at once: it ended before it began.
      body = ["id": .string(id.description), "number": .integer(Int64(number)), "room": .string(room.description)]
    }
    return Response(json: body, status: status, headers: [.location: "/v1/takes/\(id)"])
  }
}
