import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Signaling

/// XirSys' REST interface, version 2, in both families of names, at the root and below `/api`.
///
/// Every answer is `{s, e, d}` with the HTTP status 200: clients look at `s`.
struct XirSysResource {
  let desk: XirSysDesk
  let isSecure: Bool

  /// Largest body, in bytes.
  private static let body = 16_384
  private static let form = "application/x-www-form-urlencoded"
  private static let prefixes = ["", "/api"]
  private static let room = "room"

  var resources: [Resource] {
    XirSysResource.prefixes.flatMap { prefix in
      XirSysCall.paths.map { resource(at: "\(prefix)/\($0.path)", $0.path, $0.methods) }
    } + [resource(at: "/api/\(XirSysResource.room)", XirSysResource.room, ["GET", "POST", "DELETE"])]
  }

  private func resource(at address: String, _ path: String, _ methods: [String]) -> Resource {
    methods.compactMap { HTTPRequest.Method(rawValue: $0) }.reduce(Resource(address, door: .xirsys)) {
      resource, method in
      resource.on(method, .knock) { request, context in try await answer(path, request, context) }
    }
  }

  /// True for a request on `/room` that is not Kurento's: a form, or parameters in the query.
  static func isMeant(_ request: Request) -> Bool {
    request.headers[.contentType].map(MediaTypeName.essence) == form || request.query("ident") != nil
  }

  /// The answer to a call on `/room`, an address that Kurento Room has too.
  func answerRoom(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try await answer(XirSysResource.room, request, context)
  }

  private func answer(_ path: String, _ request: Request, _ context: ExchangeContext) async throws -> Response {
    guard let call = XirSysCall(path: path, method: request.method.rawValue) else {
      return Response(json: XirSysReply.failure(405, "there is no \(request.method.rawValue) of /\(path)"))
    }
    let form = try await XirSysResource.parameters(of: request)
    do throws(RoomRefusal) {
      return Response(json: XirSysReply.success(try await payload(of: call, form, request, context)))
    } catch {
      return Response(json: XirSysReply.failure(error.xirsysStatus, error.description))
    }
  }

  private func payload(
    of call: XirSysCall, _ form: XirSysForm, _ request: Request, _ context: ExchangeContext
  ) async throws(RoomRefusal) -> JSONValue {
    // Answered even with a wrong secret: without it, a client would go to a server that is built in.
    if call == .sockets { return ["value": .string(request.socketBase(isSecure: isSecure))] }
    let account = try desk.account(form["ident"], form["secret"], from: context.origin)
    switch call {
    case .token:
      let channel = try XirSysChannel(
        domain: form["domain"], application: form["application"], room: form["room"], bound: account.room)
      let seconds = form["expire"].flatMap { Int($0) } ?? XirSysTicket.life
      let token = try await desk.ticket(for: account, channel, form["username"], seconds: seconds, from: context.origin)
      return ["token": .string(token)]
    case .iceServers: return XirSysReply.iceServers(desk.iceServers(for: form["username"] ?? account.ident))
    case .sockets: return .null
    case .list(.room): return .array(await desk.rooms(of: account).map { .string($0) })
    case .list: return ["default"]
    // A room is there while somebody is in it; domains and applications are names only.
    case .create(let place):
      let name = form[place.rawValue] ?? "default"
      return .object(JSONObject([("name", .string(name)), (place.rawValue, .string(name))]))
    case .remove: return .null
    }
  }

  /// The parameters of the query and of the body: a form, or a flat JSON object.
  private static func parameters(of request: Request) async throws -> XirSysForm {
    var form = XirSysForm()
    if let query = request.uri.query { form.add(query) }
    let bytes = try await request.bytes(limit: body)
    guard !bytes.isEmpty else { return form }
    if let object = (try? JSONValue(parsing: bytes))?.object {
      for member in object.members { form.set(member.name, to: member.value) }
    } else {
      form.add(String(decoding: bytes, as: UTF8.self))
    }
    return form
  }
}
