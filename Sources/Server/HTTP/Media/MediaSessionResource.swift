import HTTPTypes
import Hummingbird
import Music
import NIOCore
import Rooms
import Signaling

/// The common part of WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): reading the offer, answering it, and the session
/// resource with its PATCH and DELETE.
struct MediaSessionResource: Sendable {
  let broker: Broker
  let sessions: MediaSessions
  let quotas: Quotas
  let limits: ServerLimits

  /// The offer in the body of a POST.
  func offer(in request: Request) async throws -> String {
    guard MediaTypeName.accepts(request.headers[.accept], MediaTypeName.sdp) else {
      throw Problem.notAcceptable(request.headers[.accept] ?? "", offered: MediaTypeName.sdp)
    }
    return try await request.text(of: MediaTypeName.sdp, limit: limits.description)
  }

  /// Enters the room, negotiates, and responds with 201; a failed negotiation leaves no seat behind.
  func open(
    _ join: JoinRequest, in room: RoomName, offer: String, at path: String, label: String,
    command: (PeerLabel) throws -> RoomCommand
  ) async throws -> Response {
    guard let label = PeerLabel(label) else { throw Problem.internalError }
    let membership = try await broker.enter(room, join)
    let answer: String
    do {
      guard case .answer(_, let sdp) = try await membership.perform(try command(label)) else {
        throw Problem.internalError
      }
      answer = sdp
    } catch {
      await membership.leave()
      throw error
    }
    let session = sessions.open(membership, label: label, offer: offer)
    var headers: HTTPFields = [
      .contentType: MediaTypeName.sdp, .location: "\(path)/\(session.id)", .eTag: session.tag.description,
      .acceptPatch: MediaTypeName.fragment, .cacheControl: "no-store",
    ]
    headers.append(contentsOf: MediaSessionResource.links(to: broker.iceServers(for: membership.participant)))
    return Response(status: .created, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: answer)))
  }

  /// `Link: <stun:…>; rel="ice-server"` (RFC 9725 section 4.6).
  private static func links(to servers: [ICEServer]) -> HTTPFields {
    var fields = HTTPFields()
    for server in servers {
      for url in server.urls {
        var link = "<\(url)>; rel=\"ice-server\""
        if let username = server.username, let credential = server.credential {
          link += "; username=\"\(MediaSessionResource.quoted(username))\""
          link += "; credential=\"\(MediaSessionResource.quoted(credential))\"; credential-type=\"password\""
        }
        fields.append(HTTPField(name: .link, value: link))
      }
    }
    return fields
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  /// The session resource: PATCH trickles candidates or restarts ICE, DELETE ends.
  func session(at path: String, _ action: Authorisation.Action, door: Authorisation.Door) -> Resource {
    Resource(path, door: door, options: [.acceptPatch: MediaTypeName.fragment])
      .on(.patch, action) { request, context in try await patch(request, context) }
      .on(.delete, action) { _, context in
        let session = try find(context)
        guard let removed = sessions.remove(session.id) else { throw MediaSessionResource.gone }
        await removed.membership.leave()
        return .empty(.ok)
      }
  }

  private func patch(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let session = try find(context)
    let text = try await request.text(of: MediaTypeName.fragment, limit: limits.description)
    guard let field = request.headers[.ifMatch] else { throw Problem.preconditionRequired }
    guard session.tag.matches(field, strongly: true) else {
      throw Problem.preconditionFailed("the ICE session is now \(session.tag); send this tag in If-Match")
    }
    let fragment = try TrickleFragment(parsing: text)
    guard session.isRestart(fragment) else {
      try await session.trickle(fragment)
      return .empty(.noContent)
    }
    // Credentials of another ICE session: a restart, which must not name the old one (RFC 9725 section 4.3.3).
    guard field.trimmed == "*" else {
      throw Problem.preconditionFailed("these are the credentials of another ICE session; a restart has If-Match: *")
    }
    let answer = try await session.restart(fragment)
    return Response(
      status: .ok,
      headers: [
        .contentType: MediaTypeName.fragment, .eTag: session.tag.description, .cacheControl: "no-store",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: answer.text)))
  }

  /// The session of the path, if it is in the room of the path.
  private func find(_ context: ExchangeContext) throws -> MediaSession {
    let room = try context.room()
    guard let session = sessions.find(try context.part("session")), session.membership.room == room else {
      throw MediaSessionResource.gone
    }
    return session
  }

  private static let gone = Problem.notFound("the session has ended or never existed; begin a new one with POST")
}
