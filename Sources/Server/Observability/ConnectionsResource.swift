import Hummingbird
import Machines
import Music
import Recording
import Rooms
import Signaling

/// `/v1/connections`: what carries music at present, for the operator, and the same of one member for the moderators of
/// a room.
struct ConnectionsResource {
  let broker: Broker
  let connections: RTMPConnections

  var resources: [Resource] {
    [
      Resource("/v1/connections").on(.get, .readConnections) { request, _ in try await list(request) },
      Resource("/v1/rooms/:room/members/:member/statistics").on(.get, .readStatistics) { request, context in
        try request.checkQuery(only: [])
        return try await member(try context.room(), try context.part("member"))
      },
    ]
  }

  private func list(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, permitted: ["room", "dialect"])
    let (room, limit) = (try query.room(), try query.limit)
    let dialect: Authorisation.Door? = try query.word("dialect")
    var last = ""
    if let cursor = query.cursor {
      guard let bytes = Base64.url.decode(cursor), let text = String(validating: bytes, as: UTF8.self) else {
        throw Problem.invalid("cursor", value: cursor, "\"cursor\" must be \"next\" of an earlier page, unchanged")
      }
      last = text
    }
    let all = await broker.connections() + connections.statistics
    // A key rather than a number: connections that come and go between two pages move no other.
    let rest = all.filter { connection in
      connection.id > last && (room == nil || connection.room == room)
        && (dialect == nil || connection.dialect == dialect)
    }.sorted { $0.id < $1.id }
    let page = rest.prefix(limit)
    let next = rest.count > limit ? page.last.map { Base64.url.encode(Array($0.id.utf8)) } : nil
    let now = MonotonicClock.now
    return Response(json: Representation.list(page.map { Representation.connection($0, at: now) }, next: next))
  }

  private func member(_ room: RoomName, _ text: String) async throws -> Response {
    guard let id = ParticipantID(text), let media = await broker.connections(of: id, in: room) else {
      throw RoomRefusal(
        .unknownParticipant, "\"\(text.prefix(64))\" is no member of \(room); GET /v1/rooms/{room} lists them")
    }
    let all = media + connections.statistics.filter { $0.participants.contains(id) }
    let now = MonotonicClock.now
    return Response(json: ["connections": .array(all.map { Representation.connection($0, at: now) })])
  }
}

extension Representation {
  static func connection(_ connection: ConnectionStatistics, at now: MonotonicTime) -> JSONValue {
    func milliseconds(_ span: MonotonicTime.Span?) -> JSONValue { span.map { .measure($0.milliseconds) } ?? .null }
    return [
      "id": .string(connection.id), "room": .optional(connection.room?.description),
      "participants": .array(connection.participants.map { .string($0.description) }),
      "dialect": .string(connection.dialect.rawValue), "direction": .string(connection.direction.rawValue),
      "transport": .string(connection.transport), "state": .string(connection.state),
      "since": .string(connection.since.description), "address": .optional(connection.address),
      "codecs": .array(connection.codecs.map { .string($0) }),
      "bytesIn": .integer(connection.received.bytes), "bytesOut": .integer(connection.sent.bytes),
      "bitrateIn": .measure(connection.received.bitrate(at: now)),
      "bitrateOut": .measure(connection.sent.bitrate(at: now)), "buffered": .integer(Int64(connection.buffered)),
      "dropped": .integer(connection.dropped), "lost": connection.lost.map { .integer($0) } ?? .null,
      "jitter": milliseconds(connection.jitter), "roundTrip": milliseconds(connection.roundTrip),
    ]
  }
}
