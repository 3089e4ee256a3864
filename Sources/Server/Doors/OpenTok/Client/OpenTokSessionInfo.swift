import HTTPTypes
import Hummingbird
import Music
import Signaling

/// `GET /session/{id}`, by which clients of OpenTok learn where to connect.
struct OpenTokSessionInfoResource {
  let desk: OpenTokDesk
  let isSecure: Bool

  private static let token = HTTPField.Name("X-TB-TOKEN-AUTH")

  var resources: [Resource] {
    [
      Resource("/session/:session", door: .opentok).on(.get, .knock) { request, context in
        do throws(OpenTokRefusal) {
          return Response(json: .array([.object(try info(request, context))]))
        } catch {
          // Clients read the reason in the body of a success only.
          return Response(
            json: [
              ["error": ["code": .integer(Int64(error.status)), "errorMessage": ["message": .string(error.message)]]]
            ])
        }
      }
    ]
  }

  private func info(_ request: Request, _ context: ExchangeContext) throws(OpenTokRefusal) -> JSONObject {
    let shown = OpenTokSessionInfoResource.token.flatMap { request.headers[$0] } ?? request.query("token")
    let claim = try desk.claim(shown, from: context.origin)
    let id = claim.session.description
    guard context.parameters.get("session") == id else {
      throw .forbidden("the token is for another session than that of the address")
    }
    let base = request.socketBase(isSecure: isSecure)
    let host = base.split(separator: "/").last.map(String.init) ?? ""
    return [
      "session_id": .string(id), "partner_id": .string(claim.project.key), "project_id": .string(claim.project.key),
      "create_dt": .string(String(claim.session.createdAt.milliseconds)), "session_status": "INFLIGHT",
      "status_invalid": .null, "media_server_hostname": .string(host), "messaging_server_url": .string(host),
      "messaging_url": .string(base + OpenTokDoor.path), "symphony_address": .string(OpenTokServer.symphony),
      "ice_servers": .null,
      // Media of relayed sessions end here too, for clients of this wire: docs/opentok-client.md.
      "properties": [
        "simulcast": false, "reconnection": true, "renegotiation": false, "p2p": ["preference": ["value": "disabled"]],
      ],
    ]
  }
}
