import Signaling

/// What reaches the pump of a signaling link, from wherever it comes.
enum LinkInput: Sendable {
  /// A text message of the client.
  case text(String)
  /// A binary message of the client.
  case binary
  /// The client pinged; these bytes go back.
  case ping([UInt8])
  /// The client closes; this code goes back.
  case remoteClosed(LinkClosing)
  /// The client broke a rule, and nothing more of it is read.
  case violation(LinkClosing)
  /// The connection is gone.
  case disconnected
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
  /// Time has passed.
  case tick
  /// Our ping is due.
  case pingDue
  /// The service stops.
  case shutdown
}
