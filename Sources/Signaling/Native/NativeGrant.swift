import Music

/// What a client is told when it has come in.
package struct NativeGrant: Hashable, Sendable {
  /// A STUN or TURN server, in the words of a browser's `RTCIceServer`.
  package struct Server: Hashable, Sendable {
    package var urls: [String]
    package var username: String?
    package var credential: String?

    package init(urls: [String], username: String? = nil, credential: String? = nil) {
      self.urls = urls
      self.username = username
      self.credential = credential
    }
  }

  package var participant: ParticipantID
  /// The secret with which a later join takes this seat over.
  package var resumeSecret: String
  package var snapshot: RoomSnapshot
  package var iceServers: [Server]
  /// How long seat and media outlive the link, in seconds.
  package var gracePeriod: Double
  /// What the credentials allow: those of a listener change nothing.
  package var authority: Role

  package init(
    participant: ParticipantID, resumeSecret: String, snapshot: RoomSnapshot, iceServers: [Server] = [],
    gracePeriod: Double, authority: Role
  ) {
    self.authority = authority
    self.participant = participant
    self.resumeSecret = resumeSecret
    self.snapshot = snapshot
    self.iceServers = iceServers
    self.gracePeriod = gracePeriod
  }
}

extension NativeGrant {
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
    // A service of before did not say so, and let every seat change everything.
    authority = fields.has("authority") ? try fields.word("authority", among: Role.allCases) : .musician
    iceServers = []
    for server in try fields.objects("iceServers") { iceServers.append(try Server(server)) }
  }
}

extension NativeGrant.Server {
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
