import NIOCore
import NIOWebSocket

/// The end of a link from our side.
struct LinkFarewell {
  let mailbox: LinkMailbox
  let limits: ServerLimits

  /// Sends a close frame and waits briefly for the other side to close.
  ///
  /// Closing at once could reset the connection, and the reset could overtake the close frame.
  func say(
    _ closing: LinkClosing, _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel
  ) async {
    let stall = limit(channel)
    defer { stall.cancel() }
    guard (try? await outbound.write(closing.frame)) != nil else { return }
    let limit = channel.eventLoop.scheduleTask(in: .milliseconds(limits.closeTimeout)) { channel.close(promise: nil) }
    defer { limit.cancel() }
    for await input in mailbox.inputs {
      switch input {
      case .remoteClosed, .answered: return
      default: continue
      }
    }
  }

  /// Ends the connection of a client that reads nothing, not even the close frame.
  @discardableResult
  func limit(_ channel: any Channel) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: .milliseconds(limits.pongTimeout)) { channel.close(promise: nil) }
  }
}
