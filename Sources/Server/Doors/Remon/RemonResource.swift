import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Signaling

/// The REST interface that Remote Monster's client libraries use: beginning, search, and logs.
struct RemonResource {
  let desk: RemonDesk
  let isSecure: Bool

  /// Largest body, in bytes.
  private static let body = 65_536
  /// Topics of logs that are counted apart; all others are one.
  private static let topics = ["log", "health", "quality"]

  var resources: [Resource] {
    [
      Resource("/rest/init", door: .remon).on(.post, .knock) { request, context in
        try await begin(request, context)
      },
      Resource("/rest/room/:service", door: .remon).on(.get, .knock) { request, context in
        try await list(.broadcast, request, context)
      },
      Resource("/rest/call/:service", door: .remon).on(.get, .knock) { request, context in
        try await list(.call, request, context)
      },
      Resource("/rest/rooms/:service/:conference", door: .remon).on(.get, .knock) { request, context in
        try await conference(request, context)
      },
      Resource("/topics", door: .remon).on(.put, .knock) { request, _ in try await log(request) },
    ]
  }

  // MARK: Beginning

  private func begin(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let bytes = try await request.bytes(limit: RemonResource.body)
    let wish: RemonInit
    do throws(RemonFault) {
      wish = try RemonInit(parsing: bytes)
    } catch {
      return RemonResource.failure(error.sentence, .badRequest)
    }
    do throws(RoomRefusal) {
      let account = try desk.account(wish.serviceID, wish.key, from: context.origin)
      let (token, proposal) = desk.token(for: account, wish, from: context.origin)
      let servers = desk.iceServers(for: token).flatMap { server in
        server.urls.map { url in
          // One address each: some clients read a string, not a list.
          var entry: JSONObject = ["urls": .string(url)]
          if let username = server.username { entry["username"] = .string(username) }
          if let credential = server.credential { entry["credential"] = .string(credential) }
          return JSONValue.object(entry)
        }
      }
      let base = request.socketBase(isSecure: isSecure)
      return Response(
        json: [
          "token": .string(token), "iceServers": .array(servers), "key": .string(proposal), "name": .string(proposal),
          "sigurl": .string("\(base)/ws"),
        ])
    } catch {
      return RemonResource.failure(error)
    }
  }

  // MARK: Search

  private func list(_ kind: RemonChannel.Kind, _ request: Request, _ context: ExchangeContext) async throws -> Response
  {
    do throws(RoomRefusal) {
      let reader = try desk.reader(
        token: RemonResource.token(request), service: context.parameters.get("service") ?? "", from: context.origin)
      return Response(json: await desk.list(kind, bound: reader.bound, service: reader.service))
    } catch {
      return RemonResource.failure(error)
    }
  }

  private func conference(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let name = try context.part("conference")
    let token = RemonResource.token(request)
    do throws(RoomRefusal) {
      let reader = try desk.reader(
        token: token, service: context.parameters.get("service") ?? "", from: context.origin)
      let room: RoomName
      do throws(RemonFault) {
        room = try RemonChannelID.room(name, bound: reader.bound)
      } catch {
        return RemonResource.failure(error.sentence, .badRequest)
      }
      return Response(
        json: await desk.casts(in: room, service: reader.service, token: token, from: context.origin.host))
    } catch {
      return RemonResource.failure(error)
    }
  }

  /// The token of `/rest/init`, as a bearer's or in the query.
  private static func token(_ request: Request) -> String? {
    Gatekeeper.bearer(request.headers) ?? request.query("token")
  }

  // MARK: Logs

  /// Log entries are for the vendor's own console: they are counted, and not kept.
  private func log(_ request: Request) async throws -> Response {
    let bytes = try await request.bytes(limit: RemonResource.body)
    guard let topic = (try? JSONValue(parsing: bytes))?.object?["topic"]?.string else {
      return RemonResource.failure("the body must be {\"topic\":\"log\",\"messages\":{…}}", .badRequest)
    }
    desk.topics.add { $0[RemonResource.topics.contains(topic) ? topic : "other", default: 0] += 1 }
    return Response(json: [:])
  }

  // MARK: Failures

  static func failure(_ refusal: RoomRefusal) -> Response {
    let status = Problem(refusal).status
    var headers: HTTPFields = [:]
    if let seconds = refusal.retryAfter { headers[.retryAfter] = String(seconds) }
    return Response(json: ["Error": .string(refusal.description)], status: status, headers: headers)
  }

  static func failure(_ sentence: String, _ status: HTTPResponse.Status) -> Response {
    Response(json: ["Error": .string(sentence)], status: status)
  }
}
