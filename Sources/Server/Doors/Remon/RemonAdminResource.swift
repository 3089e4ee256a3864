import Catalog
import Hummingbird
import Machines
import Music
import NIOCore
import Recording
import Rooms
import Signaling

/// Remote Monster's interface for the operator's own servers: search of channels, casts on air, and ending a channel.
///
/// The `secret` is an API key or a join token of Jamjar: a service's key stands in every app, and opens no more than a
/// musician's seat.
struct RemonAdminResource {
  let desk: RemonDesk
  let index: any TakeIndex
  let backings: Backings

  /// Largest body, in bytes.
  private static let body = 16_384
  /// Most sessions of one reply, read in pages.
  private static let most = 1_000
  private static let page = 200

  var resources: [Resource] {
    [
      resource("/v1/search") { fields, context in try await search(fields, context) },
      resource("/lambda/broadcast-channel-list") { fields, context in try await casts(fields, context) },
      resource("/lambda/channel-force-termination") { fields, context in try await terminate(fields, context) },
    ]
  }

  private func resource(
    _ path: String, _ answer: @escaping @Sendable (JSONObject, ExchangeContext) async throws -> Response
  ) -> Resource {
    Resource(path, door: .remon).on(.post, .knock) { request, context in
      let bytes = try await request.bytes(limit: RemonAdminResource.body)
      guard let object = (try? JSONValue(parsing: bytes))?.object else {
        return RemonResource.failure("the body must be a JSON object with \"serviceId\" and \"secret\"", .badRequest)
      }
      do {
        return try await answer(object, context)
      } catch let refusal as RoomRefusal {
        return RemonResource.failure(refusal)
      }
    }
  }

  /// Whether the secret in the body permits this.
  /// - Throws: `RoomRefusal`.
  private func check(
    _ fields: JSONObject, _ action: Authorisation.Action, on object: Authorisation.Object, _ context: ExchangeContext
  ) throws(RoomRefusal) -> Principal {
    let (grant, _) = try desk.turnstile.admit(fields["secret"]?.string, at: .rest, from: context.origin)
    try Authorisation.check(grant.principal, action, on: object, at: .rest)
    return grant.principal
  }

  private func search(_ fields: JSONObject, _ context: ExchangeContext) async throws -> Response {
    _ = try check(fields, .readSessions, on: .service, context)
    var query = SessionQuery(
      roomText: fields["keyword"]?.string, startedAfter: RemonAdminResource.time(fields["starttime"]),
      startedBefore: RemonAdminResource.time(fields["endtime"]), limit: RemonAdminResource.page,
      cursor: fields["cursor"]?.string)
    var sessions: [Session] = []
    repeat {
      let page: Page<Session>
      do {
        page = try await index.sessions(query)
      } catch CatalogError.invalidCursor {
        return RemonResource.failure("the \"cursor\" is not the \"next\" of a former reply", .badRequest)
      }
      sessions += page.items
      query.cursor = page.next
    } while query.cursor != nil && sessions.count < RemonAdminResource.most
    let live = await desk.broker.snapshots()
    let items = sessions.map { session -> JSONValue in
      let present = live.first { $0.session == session.id }?.members.count { $0.role == .musician } ?? 0
      return [
        "chid": .string(session.room.description), "createTime": .string(session.startedAt.description),
        "endTime": .optional(session.endedAt?.description), "peerCount": .integer(Int64(present)),
      ]
    }
    return Response(
      json: [
        "startTime": fields["starttime"] ?? .null, "currentTime": .string(MonotonicClock.wall.description),
        "totalCount": .integer(Int64(items.count)), "items": .array(items), "next": .optional(query.cursor),
      ])
  }

  /// A time as a text of ISO 8601, or in milliseconds since 1970.
  private static func time(_ value: JSONValue?) -> WallTime? {
    value?.string.flatMap { WallTime($0) } ?? value?.integer.map { WallTime(milliseconds: $0) }
  }

  private func casts(_ fields: JSONObject, _ context: ExchangeContext) async throws -> Response {
    let principal = try check(fields, .listRooms, on: .list, context)
    var items: [JSONValue] = []
    for snapshot in await desk.broker.snapshots() where principal.reaches(snapshot.room) {
      guard desk.places.present(in: snapshot.room).contains(where: { $0.part == .caster }) else { continue }
      let session = if let id = snapshot.session { try await index.session(id) } else { Session?.none }
      items.append([
        "id": .string(snapshot.room.description), "serviceId": fields["serviceId"] ?? .null,
        "createTime": .optional(session?.startedAt.description),
        "numOfWatchers": .integer(Int64(snapshot.members.count { $0.role == .listener })),
      ])
    }
    return Response(json: .array(items))
  }

  private func terminate(_ fields: JSONObject, _ context: ExchangeContext) async throws -> Response {
    guard let id = fields["channelId"]?.string else {
      return RemonResource.failure("there is no \"channelId\"; it is the channel to end", .badRequest)
    }
    let room: RoomName
    do throws(RemonFault) {
      room = try RemonChannelID.room(id)
    } catch {
      return RemonResource.failure(error.sentence, .badRequest)
    }
    _ = try check(fields, .closeRoom, on: .room(room), context)
    do throws(RoomRefusal) {
      try await desk.broker.close(room)
    } catch {
      return RemonResource.failure("nobody is in a channel \"\(room)\"", .notFound)
    }
    try await backings.removeAll(of: room)
    return Response(json: ["send": true])
  }
}
