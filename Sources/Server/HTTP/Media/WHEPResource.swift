import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// `POST /whep/{room}/{participant}`: a player hears one musician of a room, or with `mix` the live mix of all
/// (draft-ietf-wish-whep).
struct WHEPResource: Sendable {
  let shared: MediaSessionResource

  var resources: [Resource] {
    [
      Resource("/whep/:room/:participant", door: .whep, options: [.acceptPost: MediaTypeName.sdp]).on(.post, .enter) {
        request, context in
        try await subscribe(request, context)
      },
      shared.session(at: "/whep/:room/:participant/:session", .hear, door: .whep),
    ]
  }

  private func subscribe(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    try shared.quotas.begin(.join, context.caller, room: room)
    try request.checkQuery(only: ["name", "without"])
    let wanted = try context.part("participant")
    let offer = try await shared.offer(in: request)
    let source = try await source(wanted, in: room, without: request.query("without"))
    let join = try context.grant.applied(
      to: try joinRequest(request, context.grant), in: room, at: .whep, address: context.address)
    let path = "/whep/\(room.description.percentEncoded)/\(wanted.percentEncoded)"
    return try await shared.open(join, in: room, offer: offer, at: path, label: "whep") {
      .subscribe($0, to: source, offer: offer)
    }
  }

  /// A musician of the room by identifier or display name, or the mix; a musician called "mix" takes precedence.
  private func source(_ text: String, in room: RoomName, without left: String?) async throws(Problem) -> AudioSource {
    let snapshot = await shared.broker.snapshot(of: room)
    let musicians = snapshot?.members.filter { $0.role == .musician } ?? []
    func find(_ text: String) -> ParticipantID? {
      let found =
        musicians.first { $0.participant.id.description == text }
        ?? musicians.first { $0.participant.name.description == text }
      return found?.participant.id
    }
    if let musician = find(text) {
      guard left == nil else {
        throw Problem.invalid(
          "without", value: left, "\"without\" leaves a musician out of the mix; this is one musician")
      }
      return .participant(musician)
    }
    guard text == AudioSource.mixName, snapshot != nil else {
      throw unknown(text, "participant", in: room, among: musicians)
    }
    guard let left else { return .mix }
    guard let musician = find(left) else { throw unknown(left, "without", in: room, among: musicians) }
    return .mix(without: musician)
  }

  private func unknown(
    _ text: String, _ field: String, in room: RoomName, among musicians: [RoomSnapshot.Member]
  ) -> Problem {
    Problem(
      .notFound, RoomRefusal.Code.unknownParticipant.rawValue, "There is no such participant",
      "no musician \"\(text.prefix(64))\" is in \(room)", field: field, value: text,
      permitted: musicians.map(\.participant.name.description))
  }

  /// A listener with the name from the query, from the token, or generated: players have no names.
  private func joinRequest(_ request: Request, _ grant: Grant) throws(Problem) -> JoinRequest {
    var text = "listener-\(UInt32.random(in: .min ... .max))"
    if let name = grant.name { text = name }
    if let given = request.query("name") { text = given }
    do throws(NameError) {
      return JoinRequest(name: try DisplayName(checking: text), role: .listener, link: .resource)
    } catch {
      throw Problem.invalid("name", value: text, error.description)
    }
  }
}
