import Music

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
