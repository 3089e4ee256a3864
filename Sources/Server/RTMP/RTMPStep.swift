import Signaling

/// What reaches the pump of an RTMP connection, from wherever it comes. The socket's end is the end of the queue.
enum RTMPStep: Sendable {
  case bytes([UInt8])
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
