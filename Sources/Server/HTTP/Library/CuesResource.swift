import HTTPTypes
import Hummingbird
import Library
import Music
import Rooms
import Signaling

/// `/v1/takes/{take}/cues`: marks on a take's time line, during and after the take.
struct CuesResource {
  let broker: Broker
  let library: Library
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/takes/:take/cues", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .readTake) { _, context in
          let take = try await find(context)
          let cues = try await library.index.cues(of: take.id)
          return Response(json: Representation.list(cues.map(Representation.cue), next: nil))
        }
        .on(.post, .markTake) { request, context in try await add(request, context) },
      Resource("/v1/takes/:take/cues/:cue", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.patch, .markTake) { request, context in try await edit(request, context) }
        .on(.delete, .markTake) { request, context in
          _ = try await library.removeCue(
            try context.identifier("cue"), of: try context.identifier("take"),
            ifRevision: try Revision.expected(request.headers))
          return .empty(.noContent)
        },
    ]
  }

  private func find(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await library.index.take(id) else { throw Problem.unknownTake(id.description) }
    return take
  }

  /// Without a position, the present moment of the rolling take.
  private func add(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let fields = try await request.fields(["text", "position"], limit: limits.body)
    let text = try fields.string("text")
    let take = try await find(context)
    let isRolling = await broker.snapshot(of: take.room)?.take?.id == take.id
    if let position = try fields.optionalPosition("position") {
      let (cue, _) = try await library.addCue(
        to: take.id, at: position, text: text, ifRevision: try Revision.expected(request.headers))
      return answer(cue, of: take, .created)
    }
    guard isRolling else {
      throw Problem.invalid(
        "position", value: nil,
        "the take is \(take.state.rawValue) and not rolling, so give the cue's position: \"position\" in seconds")
    }
    guard case .cue(let cue) = try await broker.cue(in: take.room, text: text) else { throw Problem.internalError }
    return answer(cue, of: take, .created)
  }

  private func edit(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let fields = try await request.patch(["text", "position", "hidden"], limit: limits.body)
    // Neither can be removed, so null is refused by name.
    let text = fields.has("text") ? try fields.string("text") : nil
    let position = fields.has("position") ? try fields.position("position") : nil
    let isHidden = fields.has("hidden") ? try fields.optionalBool("hidden") ?? false : nil
    let (cue, take) = try await library.editCue(
      try context.identifier("cue"), of: try context.identifier("take"),
      ifRevision: try Revision.expected(request.headers)
    ) { cue in
      if let text { cue.text = text }
      if let position { cue.position = position }
      if let isHidden {
        guard cue.comment != nil else {
          throw Problem.invalid(
            "hidden", value: "\(isHidden)", "only the comments of a link's visitors can be hidden; remove a cue instead"
          )
        }
        cue.comment?.isHidden = isHidden
      }
    }
    return answer(cue, of: take, .ok)
  }

  private func answer(_ cue: Cue, of take: Take, _ status: HTTPResponse.Status) -> Response {
    let headers: HTTPFields = status == .created ? [.location: "/v1/takes/\(take.id)/cues/\(cue.id)"] : [:]
    return Response(json: Representation.cue(cue), status: status, headers: headers)
  }
}
