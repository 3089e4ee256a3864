import HTTPTypes
import Hummingbird
import Music
import Recording
import Rooms
import Signaling

/// `/v1/rooms/{room}/backings`: backing tracks; `/v1/rooms/{room}/backing`: the one that everybody hears.
struct BackingsResource {
  let backings: Backings
  let quotas: Quotas
  /// The data folder.
  let recordings: String
  let limits: ServerLimits

  private static let anySound = "audio/*"
  private static let anyBytes = "application/octet-stream"

  var resources: [Resource] {
    [
      Resource("/v1/rooms/:room/backings", options: [.acceptPost: BackingsResource.accepted])
        .on(.get, .readRoom) { request, context in
          try request.checkQuery(only: [])
          let items = backings.list(of: try context.room()).map(Representation.backing)
          return Response(json: Representation.list(items, next: nil))
        }
        .on(.post, .useBackings) { request, context in try await add(request, context) },
      Resource("/v1/rooms/:room/backings/:backing")
        .on(.get, .readRoom) { _, context in
          Response(json: Representation.backing(try find(context)))
        }
        .on(.delete, .useBackings) { _, context in
          try await backings.remove(try find(context))
          return .empty(.noContent)
        },
      Resource("/v1/rooms/:room/backings/:backing/sound").on(.get, .readRoom) { request, context in
        try await sound(request, context)
      },
      Resource("/v1/rooms/:room/backing")
        .on(.get, .readRoom) { _, context in
          Response(json: Representation.playing(await backings.broker.backing(in: try context.room())))
        }
        .on(.put, .useBackings) { request, context in try await play(request, context) }
        .on(.delete, .useBackings) { _, context in
          await backings.broker.stopBacking(in: try context.room())
          return .empty(.noContent)
        },
    ]
  }

  private static let accepted = "\(anySound), \(anyBytes)"

  private func find(_ context: ExchangeContext) throws -> Backing {
    try backings.find(try context.part("backing"), in: try context.room())
  }

  private func add(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    try quotas.begin(.upload, context.caller, room: room)
    let hold = try quotas.hold(.transfer, context.caller, room: room)
    defer { hold.release() }
    let found = request.headers[.contentType]
    guard let type = found.map(MediaTypeName.essence), type.hasPrefix("audio/") || type == BackingsResource.anyBytes
    else {
      throw Problem.unsupportedMediaType(found, accepted: BackingsResource.accepted, for: request.method)
    }
    try request.checkQuery(only: ["title"])
    let title = try BackingsResource.title(request.query("title"))
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limits.backing {
      throw Problem.tooLarge("a backing track", limit: limits.backing)
    }
    let backing = try await backings.add(title, to: room, request.body, limit: limits.backing)
    let address = "/v1/rooms/\(room.description.percentEncoded)/backings/\(backing.id)"
    return Response(json: Representation.backing(backing), status: .created, headers: [.location: address])
  }

  private static func title(_ text: String?) throws(Problem) -> String {
    guard let text else { return "Backing track" }
    do throws(ValueProblem) {
      try TextKind.title.check(text)
    } catch {
      throw Problem.invalid("title", value: text, error.description, permitted: [error.permitted])
    }
    return text
  }

  /// The sound as Opus for pages, or as FLAC.
  private func sound(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let backing = try find(context)
    try request.checkQuery(only: ["format"])
    let names = [("flac", BackingFile.soundName, MediaTypeName.flac), ("opus", BackingFile.lightName, "audio/ogg")]
    let wanted = request.query("format") ?? "flac"
    guard let (_, name, type) = names.first(where: { $0.0 == wanted }) else {
      throw Problem.invalid("format", value: wanted, "there is no such format", permitted: names.map(\.0))
    }
    do {
      let path = BackingFile.path(of: backing.id, in: backing.room)
      let file = try await RecordedFile.open(name, in: path, of: recordings)
      return try FileResponse(file: file, contentType: type, downloadName: nil).response(to: request)
    } catch RecordedFile.Failure.missing {
      throw Problem.notFound("this service has no \(wanted) of the backing track \(backing.id)")
    }
  }

  /// Starts a backing track, or moves to another place of it.
  private func play(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    let fields = try await request.fields(["backing", "from"], limit: limits.body)
    let backing = try backings.find(try fields.string("backing"), in: room)
    let from = try fields.optionalPosition("from") ?? .zero
    guard from < backing.length else {
      throw Problem.invalid(
        "from", value: "\(from.seconds)", "\"from\" lies behind the end of the backing track",
        permitted: ["0…\(backing.length.seconds)"])
    }
    let play = try await backings.broker.play(backing, from: from, in: room)
    guard backings.has(backing) else {
      // Removed just now, by a request that found nothing to stop.
      await backings.broker.stopBacking(backing.id, in: room)
      throw Backings.unknown(backing.id.description, in: room)
    }
    return Response(json: Representation.playing(play))
  }
}

extension Representation {
  static func backing(_ backing: Backing) -> JSONValue {
    [
      "id": .string(backing.id.description), "room": .string(backing.room.description),
      "title": .string(backing.title), "duration": .measure(backing.length.seconds),
      "addedAt": .string(backing.addedAt.description),
    ]
  }

  static func playing(_ play: BackingPlay?) -> JSONValue { ["playing": play.map { .object($0.json) } ?? .null] }
}
