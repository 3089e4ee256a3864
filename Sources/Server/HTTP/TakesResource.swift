import HTTPTypes
import Hummingbird
import Music
import Recording
import Rooms
import Signaling

/// `/v1/takes` and below: finding takes, saying something of them, moving them to the trash and back.
struct TakesResource {
  let library: Library
  let limits: ServerLimits

  private var index: any TakeIndex { library.index }

  private static let filters = [
    "room", "song", "session", "participant", "state", "rating", "favourite", "tag", "after", "before", "q", "deleted",
    "sort",
  ]

  var resources: [Resource] {
    [
      Resource("/v1/takes").on(.get) { request, context in try await list(request, context.admission) },
      Resource("/v1/takes/:take", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.get) { request, context in try await answer(try await find(context), to: request) }
        .on(.patch) { request, context in
          let fields = try await request.patch(TakePatch.fields, limit: limits.body)
          let patch = try TakePatch(fields)
          let take = try await patch.apply(
            to: try context.identifier("take"), in: library, ifRevision: try Revision.expected(request.headers))
          return try await answer(take, to: request)
        }
        .on(.delete) { request, context in
          let take = try await library.delete(
            try context.identifier("take"), ifRevision: try Revision.expected(request.headers))
          return try await answer(take, to: request)
        },
      Resource("/v1/takes/:take/restore").on(.post) { request, context in
        _ = try await request.fields([], limit: limits.body)
        let take = try await library.restore(
          try context.identifier("take"), ifRevision: try Revision.expected(request.headers))
        return try await answer(take, to: request)
      },
      Resource("/v1/takes/:take/tracks").on(.get) { _, context in
        let take = try await find(context)
        let tracks = try await index.tracks(of: take.id)
        let lossless = await LosslessTracks.known(of: take, in: library.root)
        return Response(json: Representation.list(tracks.map { Representation.track($0, lossless) }, next: nil))
      },
    ]
  }

  private func find(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    return take
  }

  private func answer(_ take: Take, to request: Request) async throws -> Response {
    let cues = try await index.cues(of: take.id)
    return Response(
      .object(Representation.take(take, cues: cues, refinement: await Refinement.known(of: take, in: library.root))),
      revision: take.revision, to: request)
  }

  private func list(_ request: Request, _ admission: Admission) async throws -> Response {
    var query = try query(request)
    if let room = admission.onlyRoom {
      guard query.room == nil || query.room == room else {
        throw RoomRefusal(.forbidden, "the join token is for the room \"\(room)\", whose takes it lists")
      }
      query.room = room
    }
    let page = try await index.takes(query)
    return Response(page: page.items.map { .object(Representation.take($0)) }, next: page.next, of: request)
  }

  private func query(_ request: Request) throws(Problem) -> TakeQuery {
    let list = try ListQuery(request, permitted: TakesResource.filters)
    return TakeQuery(
      room: try list.room(), song: try list.identifier("song"), session: try list.identifier("session"),
      participant: try list.identifier("participant"), state: try list.word("state"),
      minimumRating: try list.integer("rating", in: TakeAnnotations.ratings),
      isFavourite: try list.bool("favourite"), tag: try list.text("tag"), startedAfter: try list.time("after"),
      startedBefore: try list.time("before"), text: try list.text("q"),
      shelf: try list.bool("deleted") == true ? .deleted : .kept, sort: try list.word("sort") ?? .newest,
      limit: try list.limit, cursor: list.cursor)
  }
}
