import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOCore
import Signaling

/// XirSys' REST interface, version 3, in brief: `{s, v}`, with the account in Basic authentication.
struct XirSysChannelResource {
  let desk: XirSysDesk
  let isSecure: Bool

  /// What is known and not carried out.
  private static let others = ["/_acc", "/_auth", "/_stats", "/_ds"]
  /// Largest body, in bytes.
  private static let body = 32_768

  private typealias Account = AppAccounts.Account

  var resources: [Resource] {
    [
      Resource("/_token/**", door: .xirsys).on(.put, .knock) { request, context in
        try await answer(request, context) { account, path throws(RoomRefusal) in
          let seconds = request.query("expire").flatMap { Int($0) } ?? XirSysTicket.life
          let channel = try XirSysChannel(path: path, bound: account.room)
          return .string(
            try await desk.ticket(for: account, channel, request.query("k"), seconds: seconds, from: context.origin))
        }
      },
      Resource("/_host/**", door: .xirsys).on(.get, .knock) { request, context in
        try await answer(request, context) { _, _ throws(RoomRefusal) in
          .string(request.socketBase(isSecure: isSecure))
        }
      },
      Resource("/_turn/**", door: .xirsys).on(.put, .knock) { request, context in
        let isByURLs = try await isByURLs(request)
        return try await answer(request, context) { account, _ throws(RoomRefusal) in
          let servers = desk.iceServers(for: request.query("k") ?? account.ident)
          return isByURLs ? XirSysReply.iceServersByURLs(servers) : XirSysReply.iceServers(servers)
        }
      },
      [.get, .put, .delete].reduce(Resource("/_ns/**", door: .xirsys)) { resource, method in
        resource.on(method, .knock) { request, context in
          // A room is there while somebody is in it: nothing has to be made or removed.
          try await answer(request, context) { account, _ throws(RoomRefusal) in
            method == .get ? .array(await desk.rooms(of: account).map { .string($0) }) : 1
          }
        }
      },
      Resource("/_subs/**", door: .xirsys).on(.get, .knock) { request, context in
        try await answer(request, context) { account, path throws(RoomRefusal) in
          let channel = try XirSysChannel(path: path, bound: account.room)
          return .array(desk.places.names(in: channel.room).map { .string($0) })
        }
      },
      data,
    ]
      + XirSysChannelResource.others.map { path in
        [.get, .put, .post, .delete].reduce(Resource("\(path)/**", door: .xirsys)) { resource, method in
          resource.on(method, .knock) { request, context in
            guard (try? account(of: request, context)) != nil else { return unauthorized }
            return Response(json: XirSysReply.error(.notFound), status: .notFound)
          }
        }
      }
  }

  // MARK: The store

  private var data: Resource {
    [.get, .put, .post, .delete].reduce(Resource("/_data/**", door: .xirsys)) { resource, method in
      resource.on(method, .knock) { request, context in
        guard let account = try? account(of: request, context) else { return unauthorized }
        return Response(json: try await store(method, account, XirSysChannelResource.path(context), request))
      }
    }
  }

  private func store(
    _ method: HTTPRequest.Method, _ account: Account, _ channel: String, _ request: Request
  ) async throws -> JSONValue {
    let key = request.query("k")
    let bytes = try await request.bytes(limit: XirSysChannelResource.body)
    let value = (try? JSONValue(parsing: bytes)) ?? request.query("v").map { .string($0) } ?? .null
    let version = request.query("_ver_").flatMap { Int64($0) } ?? value.object?["_ver_"]?.integer
    return desk.withStore(of: account) { store in
      switch (method, key) {
      case (.get, nil): XirSysReply.ok(.array(store.keys(of: channel).map { .string($0) }))
      case (.get, let key?): store.read(key, in: channel)
      case (.delete, let key?): store.remove(key, in: channel)
      case (_, let key?): store.write(value, to: key, in: channel, version: version)
      case (_, nil): XirSysReply.error(.badName)
      }
    }
  }

  // MARK: Requests

  private func answer(
    _ request: Request, _ context: ExchangeContext,
    _ body: (Account, _ path: String) async throws(RoomRefusal) -> JSONValue
  ) async throws -> Response {
    do throws(RoomRefusal) {
      let account = try account(of: request, context)
      return Response(json: XirSysReply.ok(try await body(account, XirSysChannelResource.path(context))))
    } catch {
      if error.code == .unauthorized { return unauthorized }
      return Response(json: XirSysReply.error(error.xirsysWord), status: Problem(error).status)
    }
  }

  private var unauthorized: Response {
    Response(
      json: XirSysReply.error(.unauthorized), status: .unauthorized,
      headers: [.wwwAuthenticate: "Basic realm=\"jamjar\""])
  }

  /// The account of `Authorization: Basic` (RFC 7617).
  private func account(of request: Request, _ context: ExchangeContext) throws(RoomRefusal) -> Account {
    let pair = Gatekeeper.basic(request.headers)
    return try desk.account(pair?.name, pair?.secret, from: context.origin)
  }

  private static func path(_ context: ExchangeContext) -> String {
    context.parameters.getCatchAll().map { String($0).percentDecoded ?? String($0) }.joined(separator: "/")
  }

  private func isByURLs(_ request: Request) async throws -> Bool {
    let bytes = try await request.bytes(limit: XirSysChannelResource.body)
    let wish = (try? JSONValue(parsing: bytes))?.object?["format"]?.string ?? request.query("format")
    return wish == "urls"
  }
}
