import HTTPTypes
import NIOCore
import NIOHTTP1

/// Checks the first head of a connection and passes only upgrades that will succeed.
///
/// NIO's typed upgrade handler drops the head of an upgrade that it declines, so the router would see an end without a
/// head, and the client would get no response. This gate removes `Upgrade` from the head first: the router responds as
/// to any request (404, 403, 426). The connection then ends, because the decoder reads nothing after an upgrade.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let accepts: @Sendable (HTTPRequestHead) -> Bool

  init(accepts: @escaping @Sendable (HTTPRequestHead) -> Bool) {
    self.accepts = accepts
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      context.fireChannelRead(data)
      return
    }
    if head.headers.contains(name: "Upgrade"), !accepts(head) {
      head.declineUpgrade()
      context.fireChannelRead(wrapInboundOut(.head(head)))
    } else {
      context.fireChannelRead(data)
    }
    // In every case: an upgraded connection continues with a WebSocket's bytes, which are not request parts; unwrapping
    // them as such would trap.
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  /// Responds to a malformed first head, because no later handler is active yet.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
    let problem =
      error == .headerOverflow
      ? Problem(
        .requestHeaderFieldsTooLarge, "headers-too-large", "The header is too large",
        "the header fields are too many or too long")
      : Problem(.badRequest, "malformed", "The request cannot be read", "this is not an HTTP/1.1 request (RFC 9112)")
    problem.end(context) { wrapOutboundOut($0) }
  }
}

extension HTTPRequestHead {
  /// Turns this into an ordinary request, the last one of its connection.
  mutating func declineUpgrade() {
    headers.remove(name: "Upgrade")
    headers.replaceOrAdd(name: "Connection", value: "close")
  }
}
