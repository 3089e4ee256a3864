import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/tokens/revocations`: join tokens that no longer hold.
struct RevocationsResource {
  let broker: Broker
  let limits: ServerLimits

  /// Longest identifier of a token, in bytes: as many as a list of them has room for on disk.
  private static let longestID = 200

  var resources: [Resource] {
    [
      Resource("/v1/tokens/revocations", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .revokeTokens) { request, _ in
          try request.checkQuery(only: [])
          let items = broker.revocations.entries.map { JSONValue.object(Representation.revocation($0)) }
          return Response(json: Representation.list(items, next: nil))
        }
        .on(.post, .revokeTokens) { request, _ in
          let fields = try await request.fields(["id", "room", "expiresAt"], limit: limits.body)
          let subject = try RevocationsResource.subject(fields)
          let entry = try await broker.revoke(subject, until: try RevocationsResource.expiry(fields))
          return Response(json: .object(Representation.revocation(entry)), status: .created)
        }
    ]
  }

  /// Either the identifier of a token or a room.
  private static func subject(_ fields: BodyFields) throws(Problem) -> RevocationList.Subject {
    switch (try fields.optionalString("id"), try fields.optionalString("room")) {
    case (let id?, nil):
      guard (1...longestID).contains(id.utf8.count),
        !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else {
        throw Problem.invalid(
          "id", value: id, "\"id\" must be the claim jti of a token",
          permitted: ["1 to \(longestID) bytes without control characters"])
      }
      return .token(id)
    case (nil, TokenStamp.everyRoom): return .room(nil)
    case (nil, let text?):
      do throws(NameError) {
        return .room(try RoomName(checking: text))
      } catch {
        throw Problem.invalid("room", value: text, error.description)
      }
    case (nil, nil), (_?, _?):
      throw Problem.invalid(
        "id", value: nil, "give either \"id\", the claim jti of one token, or \"room\" for all tokens of a room",
        permitted: ["id", "room"])
    }
  }

  private static func expiry(_ fields: BodyFields) throws(Problem) -> WallTime? {
    guard let text = try fields.optionalString("expiresAt") else { return nil }
    guard let time = WallTime(text) else {
      throw Problem.invalid(
        "expiresAt", value: text, "\"expiresAt\" must be a time of RFC 3339, such as 2026-11-21T19:04:05Z")
    }
    return time
  }
}

extension Representation {
  static func revocation(_ entry: RevocationList.Entry) -> JSONObject {
    var object: JSONObject = [:]
    switch entry.subject {
    case .token(let id): object["id"] = .string(id)
    case .room(let room): object["room"] = .string(room?.description ?? TokenStamp.everyRoom)
    }
    object["revokedAt"] = .string(entry.revokedAt.description)
    object["until"] = .string(entry.until.description)
    return object
  }
}
