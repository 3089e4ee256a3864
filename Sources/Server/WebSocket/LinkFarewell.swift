import NIOCore
import NIOWebSocket

/// The end of a link from our side.
struct LinkFarewell {
  let mailbox: LinkMailbox
  let limits: ServerLimits

  /// Sends a close frame and waits for the other side to close, but not for long.
  ///
  /// Closing at once could reset the connection, and the reset overtake the frame that says why.
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

  /// Ends the connection of a client that takes nothing, not even a farewell.
  @discardableResult
  func limit(_ channel: any Channel) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: .milliseconds(limits.pongTimeout)) { channel.close(promise: nil) }
  }
}
