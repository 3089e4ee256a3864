/// What reaches the pump of a WebSocket link, from wherever it comes.
enum LinkInput<Message: Sendable>: Sendable {
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
  /// What the other side of the pump, a room or a session, has to say.
  case message(Message)
  /// Time has passed.
  case tick
  /// Our ping is due.
  case pingDue
  /// The service stops.
  case shutdown
}
