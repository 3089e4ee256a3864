import Music

extension RoomSnapshot {
  var json: JSONObject {
    var object: JSONObject = [
      "room": .string(room.description),
      "policy": [
        "recording": .string(policy.recording.rawValue),
        "topology": .string(policy.topology.rawValue),
        "capacity": .integer(Int64(policy.capacity)),
        "gracePeriod": .measure(policy.gracePeriod),
      ],
      "session": .optional(session?.description),
      "members": .array(members.map { .object($0.json) }),
      "take": take.map { .object($0.json) } ?? .null,
    ]
    if !cues.isEmpty { object["cues"] = .array(cues.map { .object($0.json) }) }
    if isStopped { object["stopped"] = true }
    if !pairs.isEmpty { object["pairs"] = .array(pairs.map { .object($0.json) }) }
    if let backing { object["backing"] = .object(backing.json) }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    guard let room = RoomName(try fields.string("room")) else {
      throw RoomRefusal(.malformed, "\"room\" is no room name")
    }
    let policy = try fields.object("policy")
    self.init(
      room: room,
      policy: RoomPolicy(
        recording: try policy.word("recording", among: RoomPolicy.Recording.allCases),
        topology: try policy.word("topology", among: RoomPolicy.Topology.allCases),
        capacity: try policy.integer("capacity", in: 0...Int(Int32.max)),
        gracePeriod: try policy.double("gracePeriod")),
      session: try fields.optionalIdentifier("session"),
      members: [],
      take: nil)
    for member in try fields.objects("members") { members.append(try Member(member)) }
    if let take = try fields.optionalObject("take") { self.take = try RollingTake(take) }
    if fields.has("cues") {
      for cue in try fields.objects("cues") { cues.append(try Cue(cue)) }
    }
    isStopped = try fields.optionalBool("stopped") ?? false
    if fields.has("pairs") {
      for pair in try fields.objects("pairs") { pairs.append(try MeshPair(pair)) }
    }
    if let backing = try fields.optionalObject("backing") { self.backing = try BackingPlay(backing) }
  }
}

extension RoomSnapshot.Member {
  var json: JSONObject {
    var object: JSONObject = [
      "participant": ["id": .string(participant.id.description), "name": .string(participant.name.description)],
      "role": .string(role.rawValue),
      "part": .optional(part),
      "published": .bool(hasPublication),
      "publishing": .bool(isPublishing),
      "connected": .bool(isConnected),
      "consent": .bool(consents),
      "muted": .bool(isMuted),
    ]
    // Most clients never say anything about their sound.
    if sound != .on { object["sound"] = .string(sound.rawValue) }
    if let state { object["state"] = .string(state.rawValue) }
    if isGuest { object["guest"] = true }
    if let meta { object["meta"] = .string(meta) }
    if let quality { object["quality"] = .object(quality.json) }
    return object
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    let participant = try fields.object("participant")
    guard let name = DisplayName(try participant.string("name")) else {
      throw RoomRefusal(.malformed, "\"name\" is no display name")
    }
    self.init(
      participant: Participant(id: try participant.identifier("id"), name: name),
      role: try fields.word("role", among: Role.allCases),
      part: try fields.optionalString("part"),
      meta: try fields.optionalString("meta"),
      hasPublication: try fields.bool("published"),
      isPublishing: try fields.bool("publishing"),
      isConnected: try fields.bool("connected"),
      consents: try fields.bool("consent"),
      // Older services do not have it.
      isMuted: try fields.optionalBool("muted") ?? false,
      sound: try fields.optionalString("sound").flatMap(SoundState.init) ?? .on,
      state: try fields.optionalString("state").flatMap(MemberState.init),
      isGuest: try fields.optionalBool("guest") ?? false,
      quality: try fields.optionalObject("quality").map { fields throws(RoomRefusal) in try QualityReading(fields) })
  }
}

extension RoomSnapshot.RollingTake {
  var json: JSONObject {
    [
      "id": .string(id.description),
      "number": .integer(Int64(number)),
      "song": song.map { ["id": .string($0.id.description), "title": .string($0.title)] } ?? .null,
      "startedAt": .string(startedAt.description),
    ]
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    guard let startedAt = WallTime(try fields.string("startedAt")) else {
      throw RoomRefusal(.malformed, "\"startedAt\" is no RFC 3339 time")
    }
    var song: Song?
    if let fields = try fields.optionalObject("song") {
      song = Song(id: try fields.identifier("id"), title: try fields.string("title"))
    }
    self.init(
      id: try fields.identifier("id"), number: try fields.integer("number", in: 0...Int(Int32.max)), song: song,
      startedAt: startedAt)
  }
}
