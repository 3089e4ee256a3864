import Logging
import NIOCore

/// Cuts off a connection whose client asks for something and does not read it, whatever it asked for: what waits for the
/// client takes memory, and its files take descriptors.
///
/// A client that reads slowly makes room now and then, which is enough.
final class StallGuard: ChannelInboundHandler {
  typealias InboundIn = Any

  private let patience: TimeAmount
  private let logger: Logger
  private var deadline: Scheduled<Void>?

  /// Bytes that the kernel takes beyond what is under way. Otherwise it would take megabytes at once, which a slow client
  /// reads for longer than it is waited for.
  private static let unsent = 131_072
  /// TCP_NOTSENT_LOWAT (tcp(7)), which Glibc's module does not declare.
  private static let lowWater = NIOBSDSocket.Option(rawValue: 25)

  /// - Parameter patience: how long nothing may be read, in milliseconds.
  init(patience: Int64, logger: Logger) {
    self.patience = .milliseconds(patience)
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // Without the option a slow client has less patience to count on; a channel of a test has no socket.
    try? context.channel.syncOptions?.setOption(.tcpOption(StallGuard.lowWater), value: StallGuard.unsent)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = nil
    if !context.channel.isWritable {
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: patience) { [logger] in
        logger.notice("a connection was cut off because its client does not read")
        channel.close(promise: nil)
      }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = nil
    context.fireChannelInactive()
  }
}
