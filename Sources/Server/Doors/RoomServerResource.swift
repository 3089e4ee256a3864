import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Rooms
import Signaling

/// The HTTP interface of Kurento's room server and its demonstration beside the WebSocket, for any method.
struct RoomServerResource {
  let broker: Broker
  let turnstile: Turnstile

  /// Interval at which a page determines the speaker, in milliseconds; Kurento's default.
  private static let speakerInterval: Int64 = 1_800
  /// Level above which a member counts as speaking, in dB; Kurento's default.
  private static let speakerThreshold: Int64 = -50
  private static let methods: [HTTPRequest.Method] = [.get, .post, .put]

  var resources: [Resource] {
    [
      resource("/getAllRooms") { request, context in
        try check(request, context)
        let rooms = await broker.snapshots().map { JSONValue.string($0.room.description) }
        return RoomServerResource.json(.array(rooms))
      },
      resource("/getUpdateSpeakerInterval") { _, _ in
        RoomServerResource.json(.integer(RoomServerResource.speakerInterval))
      },
      resource("/getThresholdSpeaker") { _, _ in
        RoomServerResource.json(.integer(RoomServerResource.speakerThreshold))
      },
      resource("/getClientConfig") { _, _ in
        RoomServerResource.json(["loopbackRemote": false, "loopbackAndLocal": false, "filterRequestParam": .null])
      },
      resource("/close") { request, context in
        try check(request, context)
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
    _ path: String, _ handler: @escaping Resource.Handler
  ) -> Resource {
    RoomServerResource.methods.reduce(Resource(path)) { resource, method in resource.on(method, handler) }
  }

  /// Checks the permission to list or close rooms: if there are keys, an API key in the header or as `token` in the
  /// query.
  private func check(_ request: Request, _ context: ExchangeContext) throws {
    guard !turnstile.gatekeeper.isOpen else {
      // An image address on a foreign page sends no Origin, but it does send this.
      guard request.headers[.secFetchSite] != "cross-site" else {
        throw Problem(RoomRefusal(.forbidden, "foreign pages may not use a service without keys; start it with keys"))
      }
      return
    }
    var headers = request.headers
    if headers[.authorization] == nil, let token = request.query("token") {
      headers[.authorization] = "Bearer \(token)"
    }
    _ = try turnstile.pass(Gatekeeper.bearer(headers), from: Turnstile.Origin(context.channel)) {
      [headers] () throws(RoomRefusal) in try turnstile.gatekeeper.checkKey(headers)
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
