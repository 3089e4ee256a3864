/// What reaches the pump of a WebSocket link, from wherever it comes.
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
  /// What was said before one of these two has been answered.
  indirect case answered(LinkInput)
  /// A text of the session for the client.
  case send(String)
  /// The session closes the link; nothing comes after it.
  case close(LinkClosing)
  /// Our ping is due.
  case pingDue
  /// The service stops.
  case shutdown
}

/// The one queue of a signaling link: bounded, so that a client that does not read costs little and is let go.
final class LinkMailbox: Sendable {
  let inputs: AsyncStream<LinkInput>
  private let continuation: AsyncStream<LinkInput>.Continuation
  /// Called when something did not fit.
  private let whenFull: @Sendable () -> Void

  init(capacity: Int, whenFull: @escaping @Sendable () -> Void) {
    (inputs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    self.whenFull = whenFull
  }

  func put(_ input: LinkInput) {
    if case .dropped = continuation.yield(input) { whenFull() }
  }

  /// The connection is gone. No input, so that nothing can be in its way: what waits is still read, and nothing follows.
  func finish() { continuation.finish() }
}
