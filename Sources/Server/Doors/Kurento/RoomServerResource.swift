import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Rooms
import Signaling

/// The HTTP interface of Kurento's room server and its demonstration beside the WebSocket, for any method.
struct RoomServerResource {
  let broker: Broker
  let origins: OriginPolicy

  /// Interval at which a page determines the speaker, in milliseconds; Kurento's default.
  private static let speakerInterval: Int64 = 1_800
  /// Level above which a member counts as speaking, in dB; Kurento's default.
  private static let speakerThreshold: Int64 = -50
  private static let methods: [HTTPRequest.Method] = [.get, .post, .put]

  var resources: [Resource] {
    [
      resource("/getAllRooms", .listRooms) { request, context in
        try check(request, changes: false)
        let rooms = await broker.snapshots().map(\.room).filter(context.grant.principal.reaches)
        return RoomServerResource.json(.array(rooms.map { .string($0.description) }))
      },
      resource("/getUpdateSpeakerInterval", .look) { _, _ in
        RoomServerResource.json(.integer(RoomServerResource.speakerInterval))
      },
      resource("/getThresholdSpeaker", .look) { _, _ in
        RoomServerResource.json(.integer(RoomServerResource.speakerThreshold))
      },
      resource("/getClientConfig", .look) { _, _ in
        RoomServerResource.json(["loopbackRemote": false, "loopbackAndLocal": false, "filterRequestParam": .null])
      },
      resource("/close", .closeRoom) { request, _ in
        try check(request, changes: true)
        try request.checkQuery(only: ["room", "token"])
        guard let text = request.query("room"), let room = RoomName(text) else {
          throw Problem.invalid("room", value: request.query("room") ?? "", "the query must name a room: ?room=take5")
        }
        do throws(RoomRefusal) {
          try await broker.close(room)
        } catch {
          throw Problem.notFound("nobody is in a room \"\(room)\"")
        }
        return .empty(.ok)
      },
    ]
  }

  private func resource(
    _ path: String, _ action: Authorisation.Action, _ handler: @escaping Resource.Handler
  ) -> Resource {
    RoomServerResource.methods.reduce(Resource(path, door: .kurento)) { $0.on($1, action, handler) }
  }

  /// Keeps requests away that a foreign page makes a browser send: an image's address sends no Origin, but it does say
  /// where it stands.
  private func check(_ request: Request, changes: Bool) throws {
    let fetch = OriginPolicy.Fetch(
      site: request.headers[.secFetchSite], referrer: request.headers[.referer], agent: request.headers[.userAgent])
    if let objection = origins.objection(to: fetch, authority: request.head.authority, changes: changes) {
      throw Problem(RoomRefusal(.forbidden, objection))
    }
  }

  /// With the charset that Spring writes; some clients recognize JSON by it.
  private static func json(_ value: JSONValue) -> Response {
    Response(
      status: .ok, headers: [.contentType: "application/json;charset=UTF-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes)))
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
