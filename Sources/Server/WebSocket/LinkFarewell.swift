import NIOCore
import NIOWebSocket

/// The end of a link from our side.
struct LinkFarewell<Message: Sendable> {
  let mailbox: LinkMailbox<Message>
  let limits: ServerLimits

  /// Sends a close frame and waits for the other side to close, but not for long.
  ///
  /// Closing at once could reset the connection, and the reset overtake the frame that says why.
  func say(
    _ closing: LinkClosing, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel
  ) async {
    guard (try? await outbound.write(closing.frame)) != nil else { return }
    let limit = channel.eventLoop.scheduleTask(in: .milliseconds(limits.closeTimeout)) { mailbox.put(.disconnected) }
    defer { limit.cancel() }
    for await input in mailbox.inputs {
      switch input {
      case .remoteClosed, .disconnected: return
      default: continue
      }
    }
  }
}
