import Music

extension Seating {
  var json: JSONObject {
    [
      "participant": .string(participant.description),
      "resume": .string(resumeSecret),
      "snapshot": .object(snapshot.json),
      "iceServers": .array(iceServers.map { .object($0.json) }),
      "gracePeriod": .measure(gracePeriod),
      "authority": .string(authority.rawValue),
    ]
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    participant = try fields.identifier("participant")
    resumeSecret = try fields.string("resume")
    snapshot = try RoomSnapshot(try fields.object("snapshot"))
    gracePeriod = try fields.double("gracePeriod")
    // Older services did not send this, and let every seat change everything.
    authority = fields.has("authority") ? try fields.word("authority", among: Role.allCases) : .musician
    iceServers = []
    for server in try fields.objects("iceServers") { iceServers.append(try Server(server)) }
  }
}

extension Seating.Server {
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
