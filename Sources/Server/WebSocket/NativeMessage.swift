import Signaling

/// What a room says to a native link.
enum NativeMessage: Sendable {
  /// A join succeeded.
  case joined(NativeRequestID, NativeGrant)
  /// A command was carried out.
  case replied(NativeRequestID, RoomReply)
  /// A join or a command was refused.
  case refused(NativeRequestID, RoomRefusal)
  /// Something happened in the room.
  case event(RoomEvent)
  /// The room has let the member go.
  case eventsEnded
}
