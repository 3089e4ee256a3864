import Hummingbird
import Music
import Signaling

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
