import Music
import Signaling

/// The signaling link of one member: where the room's events go.
struct MemberLink {
  /// Events that wait for a slow reader at most; whoever falls further behind is let go.
  static let mailbox = 256

  var id: UInt64
  var kind: LinkKind
  /// What the credentials shown on this link allow.
  var authority: Role
  var events: AsyncStream<RoomEvent>.Continuation

  /// Sends an event; false when the mailbox is full.
  func send(_ event: RoomEvent) -> Bool {
    // Nobody listens to the room behind a resource; only its end and its own candidates matter to whoever holds it.
    if kind == .resource {
      switch event {
      case .closed, .candidate: break
      default: return true
      }
    }
    if case .dropped = events.yield(event) { return false }
    return true
  }
}
