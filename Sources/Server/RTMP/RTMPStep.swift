import Signaling

/// What reaches the pump of an RTMP connection, from wherever it comes.
enum RTMPStep: Sendable {
  case bytes([UInt8])
  /// The other side closed, or is gone.
  case disconnected
  /// For the machine, from the room's side.
  case input(RTMPServer.Input)
  /// Something happened in the room.
  case event(RoomEvent)
  /// A message about shared objects for the client.
  case refusedObject(RoomRefusal, name: String)
  /// Time has passed.
  case tick
  /// The service stops.
  case shutdown
}
