import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// If the service has keys, lets requests to REST resources pass only with an API key, or with a join token for its
/// room.
///
/// The media entrances (WHIP, WHEP, the signaling link) check join tokens themselves.
struct KeyGuard: RouterMiddleware {
  typealias Context = ExchangeContext

  let turnstile: Turnstile
  let index: any TakeIndex

  func handle(
    _ request: Request, context: ExchangeContext, next: (Request, ExchangeContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let head = request.head
    let (access, caller) = try turnstile.pass(Gatekeeper.shown(in: head), from: Turnstile.Origin(context.channel)) {
      () throws(RoomRefusal) in try turnstile.gatekeeper.access(of: head)
    }
    (context.access, context.caller) = (access, caller)
    try turnstile.quotas.begin(.request, caller)
    if case .room(_, let role) = context.access {
      guard role.mayChange || TokenScope.isReading(request.method) else { throw RoomRefusal.onlyListens }
      try await check(request, context.access)
    }
    return try await next(request, context)
  }

  private func check(_ request: Request, _ access: Access) async throws {
    let path = request.uri.path.split(separator: "/").map { String($0).percentDecoded ?? String($0) }
    switch TokenScope.needed(for: request.method, path, take: request.query("take")) {
    case .anyToken: return
    case .room(let text):
      guard let room = try? RoomName(checking: text), access.admits(to: room) else {
        throw RoomRefusal(.forbidden, "the join token is for another room than \"\(text)\"")
      }
    case .take(let text):
      // A take without access gets the same response as a missing one, so that its existence stays secret.
      guard let id = TakeID(text), let take = try await index.take(id), access.admits(to: take.room) else {
        throw Problem.unknownTake(text)
      }
    case .key:
      throw RoomRefusal(.forbidden, "this needs an API key; a join token opens the takes of its room")
    }
  }
}
