import Music

/// What a room answers to a command.
package enum RoomReply: Hashable, Sendable {
  case done
  /// The answer to the member's offer.
  case answer(PeerLabel, sdp: String)
  /// An offer that the member has to answer.
  case offer(PeerLabel, sdp: String)
  /// The take that a command began or ended.
  case take(TakeID, number: Int)
  /// The cue that was set.
  case cue(Cue)
  case snapshot(RoomSnapshot)
  /// What became of a use or a change; everything else is in the event `sharedObject`.
  case sharedObject(SharedObjectReceipt)
}
