import Music

extension RoomEvent {
  var json: JSONObject {
    let (event, members) = native
    var object: JSONObject = ["event": .string(event.rawValue)]
    for member in members.members { object[member.name] = member.value }
    return object
  }

  private var native: (event: NativeEvent, members: JSONObject) {
    switch self {
    case .joined(let member): (.joined, ["member": .object(member.json)])
    case .changed(let member): (.changed, ["member": .object(member.json)])
    case .left(let participant): (.left, ["participant": .string(participant.description)])
    case .published(let participant): (.published, ["participant": .string(participant.description)])
    case .unpublished(let participant): (.unpublished, ["participant": .string(participant.description)])
    case .muted(let isMuted, let moderator):
      (.muted, ["muted": .bool(isMuted), "by": .optional(moderator?.description)])
    case .pair(let pair): (.pair, ["pair": .object(pair.json)])
    case .relayed(let message, let sender): (.relayed, RoomEvent.relayed(message, from: sender))
    case .topology(let topology): (.topology, ["topology": .string(topology.rawValue)])
    case .state(let participant, let state):
      (.standing, ["participant": .string(participant.description), "state": .string(state.rawValue)])
    case .quality(let participant, let reading): (.quality, RoomEvent.quality(of: participant, reading))
    case .candidate(let peer, let candidate):
      (.candidate, ["peer": .string(peer.description), "candidate": candidate.json])
    case .peer(let peer, let state):
      (.peer, ["peer": .string(peer.description), "state": .string(state.rawValue)])
    case .takeStarted(let take): (.takeStarted, ["take": .object(take.json)])
    case .takeStopped(let ended, let next, let isStopped):
      (.takeStopped, RoomEvent.takeStopped(ended, next, isStopped))
    case .takeFinished(let take, let state):
      (.takeFinished, ["takeId": .string(take.description), "state": .string(state.rawValue)])
    case .journaled(let take, let position):
      (.journaled, ["takeId": .string(take.description), "position": position.json])
    case .cue(let take, let cue):
      (.cue, ["takeId": .string(take.description), "cue": .object(cue.json)])
    case .message(let sender, let text, let isPrivate):
      (.message, RoomEvent.message(from: sender, text, isPrivate: isPrivate))
    case .missed(let author, let text, let isPrivate):
      (
        .message,
        JSONObject(
          RoomEvent.message(from: author.id, text, isPrivate: isPrivate).members.map { ($0.name, $0.value) }
            + [("missedFrom", .string(author.name.description))])
      )
    case .backing(let play): (.backing, ["playing": play.map { .object($0.json) } ?? .null])
    case .warning(let code, let text, let take):
      (
        .warning,
        ["code": .string(code.rawValue), "text": .string(text), "takeId": .optional(take?.description)]
      )
    case .sharedObject(let event): (.object, event.json)
    case .push(let name, let arguments):
      (.push, ["name": .string(name), "arguments": .array(arguments.map(\.json))])
    case .closed(let reason): (.closed, ["reason": .string(reason.rawValue)])
    }
  }
}

extension RoomEvent {
  private static func takeStopped(_ ended: TakeID, _ next: RoomSnapshot.RollingTake?, _ isStopped: Bool) -> JSONObject {
    var members: JSONObject = [
      "takeId": .string(ended.description), "take": next.map { .object($0.json) } ?? .null,
    ]
    if isStopped { members["stopped"] = true }
    return members
  }

  private static func quality(of participant: ParticipantID, _ reading: QualityReading) -> JSONObject {
    var members = reading.json
    members["participant"] = .string(participant.description)
    return members
  }

  private static func relayed(_ message: PairMessage, from sender: ParticipantID) -> JSONObject {
    var members = message.json
    members["from"] = .string(sender.description)
    return members
  }

  /// Clients of Kurento Room write longer texts, and of several lines; readers of this protocol were promised one line.
  private static func message(from sender: ParticipantID, _ text: String, isPrivate: Bool) -> JSONObject {
    [
      "from": .string(sender.description), "text": .string(TextKind.message.fitted(text)), "private": .bool(isPrivate),
    ]
  }
}

/// The names of events on the wire.
enum NativeEvent: String, Hashable, Sendable, CaseIterable {
  case joined, left, changed, published, unpublished, muted, candidate, peer
  case takeStarted, takeStopped, takeFinished, journaled, cue, message, warning, closed, object, push, backing
  case pair, relayed, topology, standing, quality
}

extension RoomEvent {
  /// False for an event, or a warning, of a newer service.
  static func isKnown(_ fields: NativeFields) throws(RoomRefusal) -> Bool {
    guard let event = NativeEvent(rawValue: try fields.string("event")) else { return false }
    guard event == .warning else { return true }
    return Warning(rawValue: try fields.string("code")) != nil
  }

  /// Reads an event written by the server.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    switch try fields.word("event", among: NativeEvent.allCases) {
    case .joined: self = .joined(try RoomSnapshot.Member(try fields.object("member")))
    case .changed: self = .changed(try RoomSnapshot.Member(try fields.object("member")))
    case .left: self = .left(try fields.identifier("participant"))
    case .published: self = .published(try fields.identifier("participant"))
    case .unpublished: self = .unpublished(try fields.identifier("participant"))
    case .muted: self = .muted(try fields.bool("muted"), by: try fields.optionalIdentifier("by"))
    case .pair: self = .pair(try MeshPair(try fields.object("pair")))
    case .relayed: self = .relayed(try PairMessage(fields), from: try fields.identifier("from"))
    case .topology: self = .topology(try fields.word("topology", among: RoomPolicy.Topology.allCases))
    case .standing:
      self = .state(try fields.identifier("participant"), try fields.word("state", among: MemberState.allCases))
    case .quality: self = .quality(try fields.identifier("participant"), try QualityReading(fields))
    case .candidate: self = .candidate(try fields.peer(), try CandidateMessage(memberOf: fields))
    case .peer: self = .peer(try fields.peer(), try fields.word("state", as: PeerState.self))
    case .takeStarted: self = .takeStarted(try RoomSnapshot.RollingTake(try fields.object("take")))
    case .takeStopped:
      var next: RoomSnapshot.RollingTake?
      if let take = try fields.optionalObject("take") { next = try RoomSnapshot.RollingTake(take) }
      self = .takeStopped(
        try fields.identifier("takeId"), next: next, isStopped: try fields.optionalBool("stopped") ?? false)
    case .takeFinished:
      self = .takeFinished(try fields.identifier("takeId"), try fields.word("state", among: TakeState.allCases))
    case .journaled:
      self = .journaled(try fields.identifier("takeId"), try SamplePosition(memberOf: fields))
    case .cue: self = .cue(try fields.identifier("takeId"), try Cue(try fields.object("cue")))
    case .message:
      let (text, isPrivate) = (try fields.string("text"), try fields.bool("private"))
      if let name = try fields.optionalString("missedFrom").flatMap(DisplayName.init) {
        self = .missed(
          from: Participant(id: try fields.identifier("from"), name: name), text: text, isPrivate: isPrivate)
      } else {
        self = .message(from: try fields.identifier("from"), text: text, isPrivate: isPrivate)
      }
    case .warning:
      self = .warning(
        code: try fields.word("code", as: Warning.self), text: try fields.string("text"),
        take: try fields.optionalIdentifier("takeId"))
    case .backing:
      self = .backing(
        try fields.optionalObject("playing").map { fields throws(RoomRefusal) in try BackingPlay(fields) })
    case .object: self = .sharedObject(try SharedObjectEvent(fields))
    case .push:
      self = .push(
        name: try fields.string("name"), try SharedValue.all(try fields.optionalArray("arguments") ?? []))
    case .closed: self = .closed(reason: try fields.word("reason", as: ClosingReason.self))
    }
  }
}
