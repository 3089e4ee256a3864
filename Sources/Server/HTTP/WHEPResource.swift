import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// `POST /whep/{room}/{participant}`: a player hears one musician of a room (draft-ietf-wish-whep).
struct WHEPResource: Sendable {
  let shared: MediaSessionResource

  var resources: [Resource] {
    [
      Resource("/whep/:room/:participant", options: [.acceptPost: MediaTypeName.sdp]).on(.post) { request, context in
        try await subscribe(request, context)
      },
      shared.session(at: "/whep/:room/:participant/:session"),
    ]
  }

  private func subscribe(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    let grant = try await shared.gatekeeper.grant(for: room, shown: Gatekeeper.bearer(request.headers))
    try request.checkQuery(only: ["name"])
    let wanted = try context.part("participant")
    let offer = try await shared.offer(in: request)
    let source = try await participant(wanted, in: room)
    let join = try grant.applied(to: try joinRequest(request, grant))
    let path = "/whep/\(room.description.percentEncoded)/\(wanted.percentEncoded)"
    return try await shared.open(join, in: room, offer: offer, at: path, label: "whep") {
      .subscribe($0, to: source, offer: offer)
    }
  }

  /// A musician of the room by identifier, or else by display name.
  private func participant(_ text: String, in room: RoomName) async throws(Problem) -> ParticipantID {
    let members = await shared.broker.snapshot(of: room)?.members ?? []
    let musicians = members.filter { $0.role == .musician }
    let found =
      musicians.first { $0.participant.id.description == text }
      ?? musicians.first { $0.participant.name.description == text }
    guard let found else {
      throw Problem(
        .notFound, RoomRefusal.Code.unknownParticipant.rawValue, "There is no such participant",
        "no musician \"\(text.prefix(64))\" is in \(room)", field: "participant", value: text,
        permitted: musicians.map(\.participant.name.description))
    }
    return found.participant.id
  }

  /// A listener under the name of the query, of the token, or a name of our own: players have no names.
  private func joinRequest(_ request: Request, _ grant: Grant) throws(Problem) -> JoinRequest {
    var text = "listener-\(UInt32.random(in: .min ... .max))"
    if case .token(let name?, _, _) = grant { text = name }
    if let given = request.query("name") { text = given }
    do throws(NameError) {
      return JoinRequest(name: try DisplayName(checking: text), role: .listener, link: .resource)
    } catch {
      throw Problem.invalid("name", value: text, error.description)
    }
  }
}
