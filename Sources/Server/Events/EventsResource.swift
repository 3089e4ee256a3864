import HTTPTypes
import Hummingbird
import Library
import Music
import Recording
import Rooms
import Signaling

/// `GET /v1/events`: all events, as server-sent events.
struct EventsResource {
  let feed: EventFeed
  let revocations: Revocations
  let quotas: Quotas
  let limits: ServerLimits

  var resources: [Resource] {
    [Resource("/v1/events").on(.get, .hearEvents) { request, context in try open(request, context) }]
  }

  private func open(_ request: Request, _ context: ExchangeContext) throws(Problem) -> Response {
    try request.checkQuery(only: ["room", "types", "lastEventId"])
    let accept = request.headers[.accept]
    guard MediaTypeName.accepts(accept, MediaTypeName.eventStream) else {
      throw Problem.notAcceptable(accept ?? "", offered: MediaTypeName.eventStream)
    }
    var filter = try filter(request)
    if let room = context.grant.principal.room {
      guard filter.room == nil || filter.room == room else {
        throw Problem(
          RoomRefusal(.forbidden, "the join token is for the room \"\(room)\", whose events it lets you hear"))
      }
      filter.room = room
    }
    let hold: QuotaHold
    do throws(RoomRefusal) {
      hold = try quotas.hold(.stream, context.caller, room: context.grant.principal.room)
    } catch {
      throw Problem(error)
    }
    let reader = feed.subscribeStream()
    // Browsers send the header when they reconnect; the query is for all clients. The header is newer.
    let last = request.headers[.lastEventID] ?? request.query("lastEventId")
    let stream = EventStreamBody(
      feed: feed, reader: reader, filter: filter, isOfOneRoom: context.grant.principal.room != nil,
      last: last.flatMap { $0.isEmpty ? nil : $0 }, limits: limits,
      hasLapsed: { [revocations, token = context.grant.principal.token] in
        token.map { $0.hasExpired(at: MonotonicClock.wall) || revocations.revokes($0) } ?? false
      },
      channel: context.channel)
    return Response(
      status: .ok,
      headers: [
        .contentType: MediaTypeName.eventStream, .cacheControl: "no-store, no-transform",
        // Tells nginx (and compatible proxies) to forward each event at once.
        .accelBuffering: "no",
      ],
      body: ResponseBody { writer in
        defer { hold.release() }
        try await stream.write(to: &writer)
      })
  }

  private func filter(_ request: Request) throws(Problem) -> EventFilter {
    var filter = EventFilter()
    if let text = request.query("room") {
      do throws(NameError) {
        filter.room = try RoomName(checking: text)
      } catch {
        throw Problem.invalid("room", value: text, error.description)
      }
    }
    if let text = request.query("types") {
      do throws(EventFilter.UnknownWord) {
        filter.kinds = try EventFilter.kinds(text)
      } catch {
        throw Problem.invalid(
          "types", value: error.word,
          "there is no type \"\(error.word.prefix(64))\"; \"types\" is a list of types or groups separated by commas",
          permitted: ServiceEventKind.filterWords)
      }
    }
    return filter
  }
}

extension HTTPField.Name {
  // Constant names are valid tokens, so the alternatives are never taken.
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
  static let accelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .via
}

extension Representation {
  /// An event as JSON: `type`, `time`, `room`, and the fields of its kind (docs/events.md).
  package static func event(_ event: ServiceEvent) -> JSONObject {
    var object: JSONObject = [
      "type": .string(event.kind.rawValue), "time": .string(event.time.description),
      "room": .optional(event.room?.description),
    ]
    for member in content(of: event).members { object[member.name] = member.value }
    return object
  }

  private static func content(of event: ServiceEvent) -> JSONObject {
    switch event.content {
    case .member(let member, let session):
      ["member": Representation.member(member), "session": .optional(session?.description)]
    case .left(let participant, let session):
      ["participant": Representation.participant(participant), "session": .optional(session?.description)]
    case .session(let session):
      [
        "session": [
          "id": .string(session.id.description), "room": .string(session.room.description),
          "startedAt": .string(session.startedAt.description), "endedAt": .optional(session.endedAt?.description),
        ]
      ]
    case .take(let take): ["take": .object(Representation.take(take))]
    case .takeID(let id): ["take": ["id": .string(id.description)]]
    case .split(let former, let next):
      ["from": .string(former.description), "take": .object(Representation.take(next))]
    case .refined(let take, let refinement):
      ["take": .object(Representation.take(take)), "refinement": Representation.refinement(refinement)]
    case .cue(let take, let cue):
      ["take": ["id": .string(take.description)], "cue": Representation.cue(cue)]
    case .song(let song): ["song": Representation.fullSong(song)]
    case .songID(let id): ["song": ["id": .string(id.description)]]
    case .person(let person): ["participant": Representation.person(person)]
    case .warning(let code, let text, let take):
      [
        "code": .string(code.rawValue), "text": .string(text),
        "take": take.map { ["id": .string($0.description)] } ?? .null,
      ]
    case .members(let members): members
    }
  }
}
