import HTTPTypes
import Hummingbird
import Music
import Signaling

/// `POST /whip/{room}?name={name}`: a musician's encoder sends audio to a room (RFC 9725).
struct WHIPResource: Sendable {
  let shared: MediaSessionResource

  private static let parameters = ["name", "part", "consent"]

  var resources: [Resource] {
    [
      Resource("/whip/:room", door: .whip, options: [.acceptPost: MediaTypeName.sdp]).on(.post, .takeSeat) {
        request, context in
        try await publish(request, context)
      },
      shared.session(at: "/whip/:room/:session", .publish, door: .whip),
    ]
  }

  private func publish(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    try shared.quotas.begin(.join, context.caller, room: room)
    try request.checkQuery(only: WHIPResource.parameters)
    let offer = try await shared.offer(in: request)
    let join = try context.grant.applied(
      to: try joinRequest(request, context.grant), in: room, at: .whip, address: context.address)
    return try await shared.open(
      join, in: room, offer: offer, at: "/whip/\(room.description.percentEncoded)", label: "whip"
    ) { .publish($0, offer: offer) }
  }

  private func joinRequest(_ request: Request, _ grant: Grant) throws(Problem) -> JoinRequest {
    var join = JoinRequest(name: try name(request, grant), role: .musician, link: .resource)
    if let part = request.query("part"), !part.isEmpty {
      guard DisplayName(part) != nil else {
        throw Problem.invalid("part", value: part, "\"part\" must have 1 to 64 characters, none of them a control")
      }
      join.part = part
    }
    switch request.query("consent") {
    case nil, "true": break
    case "false": join.consents = false
    case .some(let other):
      throw Problem.invalid(
        "consent", value: other, "\"consent\" must be true or false", permitted: ["true", "false"])
    }
    return join
  }

  /// The parameter `name`, otherwise the name in the token.
  private func name(_ request: Request, _ grant: Grant) throws(Problem) -> DisplayName {
    let text: String
    if let given = request.query("name") {
      text = given
    } else if let name = grant.name {
      text = name
    } else {
      throw Problem.invalid("name", value: nil, "the musician's name is missing: POST /whip/{room}?name={name}")
    }
    do throws(NameError) {
      return try DisplayName(checking: text)
    } catch {
      throw Problem.invalid("name", value: text, error.description)
    }
  }
}
