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
    case .candidate(let peer, let candidate):
      (.candidate, ["peer": .string(peer.description), "candidate": candidate.json])
    case .peer(let peer, let state):
      (.peer, ["peer": .string(peer.description), "state": .string(state.rawValue)])
    case .takeStarted(let take): (.takeStarted, ["take": .object(take.json)])
    case .takeStopped(let ended, let next):
      (.takeStopped, ["takeId": .string(ended.description), "take": next.map { .object($0.json) } ?? .null])
    case .takeFinished(let take, let state):
      (.takeFinished, ["takeId": .string(take.description), "state": .string(state.rawValue)])
    case .journaled(let take, let position):
      (.journaled, ["takeId": .string(take.description), "position": position.json])
    case .cue(let take, let cue):
      (.cue, ["takeId": .string(take.description), "cue": .object(cue.json)])
    case .message(let sender, let text, let isPrivate):
      (.message, ["from": .string(sender.description), "text": .string(text), "private": .bool(isPrivate)])
    case .warning(let code, let text):
      (.warning, ["code": .string(code.rawValue), "text": .string(text)])
    case .sharedObject(let event): (.object, event.json)
    case .push(let name, let arguments):
      (.push, ["name": .string(name), "arguments": .array(arguments.map(\.json))])
    case .closed(let reason): (.closed, ["reason": .string(reason.rawValue)])
    }
  }
}

/// The names of events on the wire.
enum NativeEvent: String, Hashable, Sendable, CaseIterable {
  case joined, left, changed, published, unpublished, candidate, peer
  case takeStarted, takeStopped, takeFinished, journaled, cue, message, warning, closed, object, push
}

extension RoomEvent {
  /// Reads an event written by the server.
  init(_ fields: NativeFields) throws(RoomRefusal) {
    switch try fields.word("event", among: NativeEvent.allCases) {
    case .joined: self = .joined(try RoomSnapshot.Member(try fields.object("member")))
    case .changed: self = .changed(try RoomSnapshot.Member(try fields.object("member")))
    case .left: self = .left(try fields.identifier("participant"))
    case .published: self = .published(try fields.identifier("participant"))
    case .unpublished: self = .unpublished(try fields.identifier("participant"))
    case .candidate: self = .candidate(try fields.peer(), try CandidateMessage(memberOf: fields))
    case .peer: self = .peer(try fields.peer(), try fields.word("state", as: PeerState.self))
    case .takeStarted: self = .takeStarted(try RoomSnapshot.RollingTake(try fields.object("take")))
    case .takeStopped:
      var next: RoomSnapshot.RollingTake?
      if let take = try fields.optionalObject("take") { next = try RoomSnapshot.RollingTake(take) }
      self = .takeStopped(try fields.identifier("takeId"), next: next)
    case .takeFinished:
      self = .takeFinished(try fields.identifier("takeId"), try fields.word("state", among: TakeState.allCases))
    case .journaled:
      self = .journaled(try fields.identifier("takeId"), try SamplePosition(memberOf: fields))
    case .cue: self = .cue(try fields.identifier("takeId"), try Cue(try fields.object("cue")))
    case .message:
      self = .message(
        from: try fields.identifier("from"), text: try fields.string("text"), isPrivate: try fields.bool("private"))
    case .warning:
      self = .warning(code: try fields.word("code", as: Warning.self), text: try fields.string("text"))
    case .object: self = .sharedObject(try SharedObjectEvent(fields))
    case .push:
      self = .push(
        name: try fields.string("name"), try SharedValue.all(try fields.optionalArray("arguments") ?? []))
    case .closed: self = .closed(reason: try fields.word("reason", as: ClosingReason.self))
    }
  }
}
