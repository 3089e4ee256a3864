import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/takes` and below: finding takes, and what was recorded in them.
struct TakesResource {
  let index: any TakeIndex

  /// Items on a page unless it is said otherwise, and at most.
  private static let limits = (usual: 50, range: 1...200)

  var resources: [Resource] {
    [
      Resource("/v1/takes").on(.get) { request, _ in try await list(request) },
      Resource("/v1/takes/:take").on(.get) { _, context in
        let take = try await find(context)
        return Response(json: Representation.take(take, cues: try await index.cues(of: take.id)))
      },
      Resource("/v1/takes/:take/tracks").on(.get) { _, context in
        let take = try await find(context)
        let tracks = try await index.tracks(of: take.id)
        return Response(json: Representation.list(tracks.map(Representation.track), next: nil))
      },
    ]
  }

  private func find(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    return take
  }

  private func list(_ request: Request) async throws -> Response {
    let page = try await index.takes(try query(request))
    return Response(json: Representation.list(page.items.map { .object(Representation.take($0)) }, next: page.next))
  }

  private func query(_ request: Request) throws(Problem) -> TakeQuery {
    try request.checkQuery(only: ["room", "song", "state", "limit", "cursor"])
    var query = TakeQuery(limit: TakesResource.limits.usual, cursor: request.query("cursor"))
    if let text = request.query("room") {
      do throws(NameError) {
        query.room = try RoomName(checking: text)
      } catch {
        throw Problem.invalid("room", value: text, error.description)
      }
    }
    if let text = request.query("song") {
      guard let song = SongID(text) else {
        throw Problem.invalid("song", value: text, "\"song\" must be the id of a song, 26 characters")
      }
      query.song = song
    }
    if let text = request.query("state") {
      guard let state = TakeState(rawValue: text) else {
        throw Problem.invalid(
          "state", value: text, "there is no state \"\(text.prefix(64))\"",
          permitted: TakeState.allCases.map(\.rawValue))
      }
      query.state = state
    }
    if let text = request.query("limit") {
      guard let limit = Int(text), TakesResource.limits.range.contains(limit) else {
        let range = TakesResource.limits.range
        throw Problem.invalid(
          "limit", value: text, "\"limit\" must be a whole number from \(range.lowerBound) to \(range.upperBound)",
          permitted: ["\(range.lowerBound)…\(range.upperBound)"])
      }
      query.limit = limit
    }
    return query
  }
}
