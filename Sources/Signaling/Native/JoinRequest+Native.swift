import Music

extension JoinRequest {
  func json(token: String?) -> JSONObject {
    var object: JSONObject = [
      "name": .string(name.description), "role": .string(role.rawValue), "consent": .bool(consents),
    ]
    if let part { object["part"] = .string(part) }
    if let meta { object["meta"] = .string(meta) }
    if let resumeSecret { object["resume"] = .string(resumeSecret) }
    if let token { object["token"] = .string(token) }
    return object
  }

  /// Reads the parameters of join; they never supply an identity, which only a token proves.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    let text = try fields.string("name")
    let name: DisplayName
    do {
      name = try DisplayName(checking: text)
    } catch {
      throw RoomRefusal(.invalidName, error.description)
    }
    self.init(
      name: name,
      role: fields.has("role") ? try fields.word("role", among: Role.allCases) : .musician,
      part: try JoinRequest.part(fields),
      meta: try fields.optionalString("meta").flatMap { $0.isEmpty ? nil : $0 },
      consents: try fields.optionalBool("consent") ?? true,
      resumeSecret: try fields.optionalString("resume"))
  }

  private static func part(_ fields: NativeFields) throws(RoomRefusal) -> Part? {
    guard let part = try fields.optionalString("part"), !part.isEmpty else { return nil }
    // A part is shown beside names, so it follows the same rules.
    guard DisplayName(part) != nil else {
      throw RoomRefusal(
        .invalidName, "the part must have 1 to 64 characters, no control characters and no blank at either end")
    }
    return part
  }
}

extension Seating {
  var json: JSONObject {
    [
      "participant": .string(participant.description),
      "resume": .string(resumeSecret),
      "snapshot": .object(snapshot.json),
      "iceServers": .array(iceServers.map { .object($0.json) }),
      "gracePeriod": .measure(gracePeriod),
      // Clients of older releases know two words: may change things, or not.
      "authority": .string((authority < .musician ? Authority.listener : .musician).rawValue),
      "role": .string(authority.rawValue),
    ]
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    participant = try fields.identifier("participant")
    resumeSecret = try fields.string("resume")
    snapshot = try RoomSnapshot(try fields.object("snapshot"))
    gracePeriod = try fields.double("gracePeriod")
    // Older services did not send this, and let every seat change everything.
    authority = fields.has("authority") ? try fields.word("authority", among: Authority.allCases) : .musician
    if fields.has("role") { authority = try fields.word("role", among: Authority.allCases) }
    iceServers = []
    for server in try fields.objects("iceServers") { iceServers.append(try ICEServer(server)) }
  }
}

extension ICEServer {
  var json: JSONObject {
    var object: JSONObject = ["urls": .array(urls.map(JSONValue.string))]
    if let username { object["username"] = .string(username) }
    if let credential { object["credential"] = .string(credential) }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    urls = try fields.strings("urls")
    username = try fields.optionalString("username")
    credential = try fields.optionalString("credential")
  }
}
