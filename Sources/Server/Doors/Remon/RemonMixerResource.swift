import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOCore
import Recording
import Rooms
import Signaling

/// Remote Monster's mixer: an instance is a name for a room's live mix, which a viewer watches like a cast.
///
/// There is one mix of everybody at their own level, so sizes and places of pictures, and several channels in one
/// instance, are refused in the mixer's form.
struct RemonMixerResource {
  let desk: RemonDesk

  private static let body = 65_536
  private static let path = "/api/v1/mixer"

  var resources: [Resource] {
    let one = "\(RemonMixerResource.path)/:instance"
    let alive = [.put, .post, .get].reduce(Resource("\(one)/alive", door: .remon)) { resource, method in
      resource.on(method, .knock) { request, context in
        try answer(request, context) { account, _ in try renew(context, room: nil, account) }
      }
    }
    return [
      Resource(RemonMixerResource.path, door: .remon).on(.post, .knock) { request, context in
        let bytes = try await request.bytes(limit: RemonMixerResource.body)
        return try answer(request, context) { account, caller in
          let room = try RemonMixerResource.room(bytes, account)
          let now = MonotonicClock.now
          desk.mixers.sweep(at: now)
          let hold = try desk.turnstile.quotas.hold(.mixer, caller)
          return ["instanceId": .string(desk.mixers.make(of: room, for: account.ident, hold, at: now))]
        }
      },
      Resource(one, door: .remon)
        .on(.put, .knock) { request, context in
          let bytes = try await request.bytes(limit: RemonMixerResource.body)
          return try answer(request, context) { account, _ in
            try renew(context, room: try RemonMixerResource.room(bytes, account), account)
          }
        }
        .on(.delete, .knock) { request, context in
          try answer(request, context) { account, _ in
            let id = context.parameters.get("instance") ?? ""
            guard desk.mixers.remove(id, for: account.ident) else { throw RemonMixerResource.unknown }
            return [:]
          }
        },
      alive,
    ]
  }

  private static let unknown = RemonFault(.general, "there is no such mixer instance, or its time is over")

  private func renew(
    _ context: ExchangeContext, room: RoomName?, _ account: AppAccounts.Account
  ) throws(RemonFault) -> JSONValue {
    let id = context.parameters.get("instance") ?? ""
    guard desk.mixers.renew(id, room: room, for: account.ident, at: MonotonicClock.now) else {
      throw RemonMixerResource.unknown
    }
    return ["instanceId": .string(id)]
  }

  /// The one channel that the sources of a body name.
  private static func room(_ bytes: [UInt8], _ account: AppAccounts.Account) throws(RemonFault) -> RoomName {
    guard let sources = (try? JSONValue(parsing: bytes))?.object?["sources"]?.array else {
      throw RemonFault(
        .general, "the body must be JSON with \"sources\", one of them of type \"remon\" with a \"chid\"")
    }
    let channels = sources.compactMap(\.object).filter { $0["type"]?.string == "remon" }.compactMap {
      $0["chid"]?.string
    }
    guard let id = channels.first, channels.count == sources.count else {
      throw RemonFault(.general, "only sources of type \"remon\" with a \"chid\" are mixed here")
    }
    guard Set(channels).count == 1 else {
      throw RemonFault(.general, "one instance mixes one channel; let its musicians be in one room")
    }
    return try RemonChannelID.room(id, bound: account.room)
  }

  private func answer(
    _ request: Request, _ context: ExchangeContext,
    _ body: (AppAccounts.Account, Caller) throws -> JSONValue
  ) throws -> Response {
    do {
      let pair = Gatekeeper.basic(request.headers)
      let (account, caller) = try desk.admit(pair?.name, pair?.secret, from: context.origin)
      return Response(json: try body(account, caller))
    } catch let refusal as RoomRefusal {
      return RemonMixerResource.failure(refusal.description, Problem(refusal).status, retryAfter: refusal.retryAfter)
    } catch let fault as RemonFault {
      let status: HTTPResponse.Status = fault == RemonMixerResource.unknown ? .notFound : .badRequest
      return RemonMixerResource.failure(fault.sentence, status)
    }
  }

  private static func failure(
    _ sentence: String, _ status: HTTPResponse.Status, retryAfter seconds: Int? = nil
  ) -> Response {
    var headers: HTTPFields = [:]
    if let seconds { headers[.retryAfter] = String(seconds) }
    return Response(json: ["error": ["message": .string(sentence)]], status: status, headers: headers)
  }
}
