/// The one queue of a signaling link: bounded, so that a client that does not read costs little and is let go.
final class LinkMailbox<Message: Sendable>: Sendable {
  let inputs: AsyncStream<LinkInput<Message>>
  private let continuation: AsyncStream<LinkInput<Message>>.Continuation
  /// Called when something did not fit.
  private let whenFull: @Sendable () -> Void

  init(capacity: Int, whenFull: @escaping @Sendable () -> Void) {
    (inputs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(capacity))
    self.whenFull = whenFull
  }

  func put(_ input: LinkInput<Message>) {
    if case .dropped = continuation.yield(input) { whenFull() }
  }

  /// The connection is gone. No input, so that nothing can be in its way: what waits is still read, and nothing follows.
  func finish() { continuation.finish() }
}
