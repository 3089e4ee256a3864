import NIOCore
import NIOHTTP1

/// Watches the requests of a connection that stays HTTP: late upgrades end it, and so do bodies without end.
final class RequestGuard: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// Bytes of one body that are read at most, to answer the limit's 413 to whoever goes a little over it.
  private let hardLimit: Int
  private var received = 0

  /// How many times the limit of a body is read before the connection is cut.
  private static let tolerance = 4

  init(bodyLimit: Int) {
    hardLimit = bodyLimit * RequestGuard.tolerance
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      received = 0
      guard head.headers.contains(name: "Upgrade") else { break }
      // Only the first request of a connection can be upgraded.
      head.declineUpgrade()
      context.fireChannelRead(wrapInboundOut(.head(head)))
      return
    case .body(let bytes):
      received += bytes.readableBytes
      guard received <= hardLimit else {
        context.close(promise: nil)
        return
      }
    case .end: break
    }
    context.fireChannelRead(data)
  }
}
