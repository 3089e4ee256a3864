import Music

/// Something that happened in the service, for whoever watches all of it (server-sent events, webhooks).
///
/// A room's members hear `RoomEvent`s instead: those tell a client what it has to do, these tell a program what has
/// become of rooms, takes, sessions and exports.
package struct ServiceEvent: Hashable, Sendable {
  /// What is told of it, beside kind, room and time.
  package enum Content: Hashable, Sendable {
    case member(RoomSnapshot.Member, session: SessionID?)
    case left(Participant, session: SessionID?)
    case session(Session)
    case take(Take)
    /// A take that is known by no more than its identifier.
    case takeID(TakeID)
    case split(from: TakeID, to: Take)
    case refined(Take, Refinement)
    case cue(TakeID, Cue)
    case warning(RoomEvent.Warning, text: String, take: TakeID?)
    /// Members of the event's JSON, for what only a face knows.
    case members(JSONObject)
  }

  package var kind: ServiceEventKind
  /// The room that it happened in, nil for what belongs to none.
  package var room: RoomName?
  package var time: WallTime
  package var content: Content

  package init(_ kind: ServiceEventKind, room: RoomName?, at time: WallTime, _ content: Content) {
    self.kind = kind
    self.room = room
    self.time = time
    self.content = content
  }
}
