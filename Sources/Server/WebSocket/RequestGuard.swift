import NIOCore
import NIOHTTP1

/// Watches the requests of a connection that stays HTTP: late upgrades end it, and so do bodies without end.
final class RequestGuard: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// Bytes of one body that are read at most, to answer the limit's 413 to whoever goes a little over it.
  private let hardLimit: Int
  /// The same of a piece of an upload.
  private let uploadLimit: Int
  private var limit: Int
  private var received = 0

  /// How many times the limit of a body is read before the connection is cut.
  private static let tolerance = 4

  /// What pieces of uploads are sent to (`BackupsResource`).
  private static let uploads = "/v1/backups/"

  init(bodyLimit: Int, uploadLimit: Int) {
    hardLimit = bodyLimit * RequestGuard.tolerance
    self.uploadLimit = max(hardLimit, uploadLimit + hardLimit)
    limit = hardLimit
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      received = 0
      limit = head.method == .PATCH && head.uri.hasPrefix(RequestGuard.uploads) ? uploadLimit : hardLimit
      guard head.headers.contains(name: "Upgrade") else { break }
      // Only the first request of a connection can be upgraded.
      head.declineUpgrade()
      context.fireChannelRead(wrapInboundOut(.head(head)))
      return
    case .body(let bytes):
      received += bytes.readableBytes
      guard received <= limit else {
        context.close(promise: nil)
        return
      }
    case .end: break
    }
    context.fireChannelRead(data)
  }
}
