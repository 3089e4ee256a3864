import NIOCore
import NIOWebSocket

/// Passes only frames permitted to a client: masked (RFC 6455 section 5.1) and without extension bits, because no
/// extension is negotiated (section 5.2).
final class ClientFrameCheck: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  /// The rule broken by a frame; the link is closed.
  enum Violation: Error {
    case unmasked, reservedBits
  }

  private var isOver = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let frame = unwrapInboundIn(data)
    guard frame.maskKey != nil else { return refuse(.unmasked, context) }
    guard frame.reservedBits.isEmpty else { return refuse(.reservedBits, context) }
    context.fireChannelRead(data)
  }

  private func refuse(_ violation: Violation, _ context: ChannelHandlerContext) {
    isOver = true
    context.fireErrorCaught(violation)
  }
}
