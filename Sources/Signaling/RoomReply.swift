import Music

/// A room's reply to a command.
package enum RoomReply: Hashable, Sendable {
  case done
  /// The answer to the member's offer.
  case answer(PeerLabel, sdp: String)
  /// An offer for the member to answer.
  case offer(PeerLabel, sdp: String)
  /// The take begun or ended by a command.
  case take(TakeID, number: Int)
  /// The cue that was set.
  case cue(Cue)
  case snapshot(RoomSnapshot)
  /// The result of a use or a change; the event `sharedObject` has the rest.
  case sharedObject(SharedObjectReceipt)
}
