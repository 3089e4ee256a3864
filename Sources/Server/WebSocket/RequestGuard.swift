import NIOCore
import NIOHTTP1

/// Watches the requests of a connection that stays HTTP: late upgrades and endless bodies end it.
final class RequestGuard: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// Most bytes read of one body, so that a body slightly over the limit still gets its 413.
  private let hardLimit: Int
  /// The same for a piece of an upload.
  private let uploadLimit: Int
  private var limit: Int
  private var received = 0

  /// Multiple of a body's limit that is read before the connection is cut.
  private static let tolerance = 4

  /// The path for pieces of uploads (`BackupsResource`).
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
