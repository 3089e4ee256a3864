/// The inputs of a WebSocket link's pump from all sources.
enum LinkInput: Sendable {
  /// A text message of the client.
  case text(String)
  /// A binary message of the client.
  case binary
  /// The client pinged; these bytes go back.
  case ping([UInt8])
  /// The client closes; this code goes back.
  case remoteClosed(LinkClosing)
  /// The client broke a rule; its further messages are not read.
  case violation(LinkClosing)
  /// One of the former two, after the responses to the client's earlier messages.
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

/// The only queue of a signaling link: bounded, so that a client that does not read costs little and is disconnected.
final class LinkMailbox: Sendable {
  let inputs: AsyncStream<LinkInput>
  private let continuation: AsyncStream<LinkInput>.Continuation
  /// Called when the queue is full.
  private let whenFull: @Sendable () -> Void

  init(capacity: Int, whenFull: @escaping @Sendable () -> Void) {
    (inputs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    self.whenFull = whenFull
  }

  func put(_ input: LinkInput) {
    if case .dropped = continuation.yield(input) { whenFull() }
  }

  /// Ends the queue after the loss of the connection. This is not an input, so a full queue cannot block it: queued
  /// inputs are still read, and nothing follows.
  func finish() { continuation.finish() }
}
