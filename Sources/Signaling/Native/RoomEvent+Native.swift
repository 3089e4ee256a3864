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
