import Music

extension JoinRequest {
  func json(token: String?) -> JSONObject {
    var object: JSONObject = [
      "name": .string(name.description), "role": .string(role.rawValue), "consent": .bool(consents),
    ]
    if let part { object["part"] = .string(part) }
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
