/// What a session says to the WebSocket that it is reached by.
enum LinkOrder: Sendable {
  case send(String)
  /// Close the link; nothing comes after it.
  case close(LinkClosing)
}
