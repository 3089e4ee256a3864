import HTTPTypes
import Hummingbird
import Machines
import Music
import Recording
import Rooms
import Signaling

/// `/v1/rooms/{room}/invitations`: links by which musicians come in, with their name and their rights.
struct InvitationsResource {
  let invitations: Invitations
  let broker: Broker
  let gatekeeper: Gatekeeper
  let address: PublicAddress
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/rooms/:room/invitations", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .invite) { request, context in
          try request.checkQuery(only: [])
          let items = valid(in: try context.room()).map { JSONValue.object(Representation.invitation($0)) }
          return Response(json: Representation.list(items, next: nil))
        }
        .on(.post, .invite) { request, context in try await invite(request, context) },
      Resource("/v1/rooms/:room/invitations/:invitation")
        .on(.get, .invite) { request, context in
          try request.checkQuery(only: [])
          let (invitation, tokens) = try find(context)
          return Response(json: .object(whole(invitation, tokens, base: try address.base(of: request, context))))
        }
        .on(.delete, .invite) { _, context in
          let (invitation, _) = try find(context)
          _ = try await broker.revoke(
            .token(invitation.id), until: invitation.expiresAt, leaving: Revocations.reserve)
          try await invitations.remove(invitation.id)
          return .empty(.noContent)
        },
    ]
  }

  private func valid(in room: RoomName) -> [Invitation] {
    gatekeeper.tokens.map { invitations.valid(in: room, signer: $0.mark) } ?? []
  }

  /// - Throws: `Problem` if there is no such invitation, `RoomRefusal` if it is for more rights than those of the caller:
  ///   whoever sees its link has them.
  private func find(_ context: ExchangeContext) throws -> (Invitation, JoinTokens) {
    let (room, id) = (try context.room(), try context.part("invitation"))
    guard let tokens = gatekeeper.tokens, let found = valid(in: room).first(where: { $0.id == id }) else {
      throw Problem.notFound("\(room) has no valid invitation \"\(id.prefix(64))\"; GET its invitations to list them")
    }
    try Authorisation.check(context.grant.principal, .invite, on: .member(of: room, found.role), at: .rest)
    return (found, tokens)
  }

  private func invite(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let wish = try InvitationWish(try await request.fields(InvitationWish.fields, limit: limits.body))
    let room = try context.room()
    let base = try address.base(of: request, context)
    try Authorisation.check(context.grant.principal, .invite, on: .member(of: room, wish.role), at: .rest)
    let items: [JSONObject]
    if gatekeeper.isOpen {
      items = wish.names.map { InvitationsResource.open(room, $0, base: base) }
    } else {
      guard let tokens = gatekeeper.tokens else { throw InvitationsResource.noSecret }
      // What somebody makes does not outlive what they made it with.
      let latest = context.grant.principal.token?.expiry.map { WallTime(milliseconds: Int64(saturating: $0 * 1e3)) }
      let made = wish.invitations(to: room, signedBy: tokens, at: MonotonicClock.wall, until: latest)
      try await invitations.add(made)
      items = made.map { whole($0, tokens, base: base) }
    }
    return Response(json: Representation.list(items.map(JSONValue.object), next: nil), status: .created)
  }

  private static let noSecret = Problem(
    .conflict, "no-join-secret", "There is no join secret",
    "this service has API keys but no join secret, so it cannot sign invitations; the operator can set "
      + "JAMJAR_JOIN_SECRET (openssl rand -hex 32)")

  /// With the link, which needs the secret.
  private func whole(_ invitation: Invitation, _ tokens: JoinTokens, base: String) -> JSONObject {
    let link = InvitationLink.text(base: base, room: invitation.room, token: invitation.token(signedBy: tokens))
    return InvitationsResource.with(link, Representation.invitation(invitation))
  }

  /// Without keys the room's address is open to anybody for ever: nothing is kept, and nothing can be withdrawn.
  private static func open(_ room: RoomName, _ name: DisplayName?, base: String) -> JSONObject {
    let object: JSONObject = [
      "id": .null, "name": .optional(name?.description), "role": .null, "room": .string(room.description),
      "createdAt": .null, "expiresAt": .null,
    ]
    return with(InvitationLink.text(base: base, room: room, name: name), object)
  }

  private static func with(_ link: String, _ object: JSONObject) -> JSONObject {
    var object = object
    object["url"] = .string(link)
    // Null for a text that no code holds: the longest room with the longest name may be one.
    object["qr"] = .optional(QRCode(link, level: .medium)?.svg())
    return object
  }
}

extension Representation {
  /// An invitation without its link.
  static func invitation(_ invitation: Invitation) -> JSONObject {
    [
      "id": .string(invitation.id), "name": .optional(invitation.name?.description),
      "role": .string(invitation.role.rawValue), "room": .string(invitation.room.description),
      "createdAt": .string(invitation.createdAt.description), "expiresAt": .string(invitation.expiresAt.description),
    ]
  }
}
