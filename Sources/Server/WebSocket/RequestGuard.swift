import NIOCore
import NIOHTTP1

/// Watches the requests of a connection that stays HTTP: late upgrades, endless bodies and slow ones end it.
final class RequestGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ServerLimits
  private let places: ConnectionPlaces
  /// Most bytes read of the present body, so that a body slightly over its limit still gets its 413.
  private var most = 0
  private var received = 0
  /// Bytes received at the last check.
  private var checked = 0
  /// True from a head to the end of its body.
  private var isReceiving = false
  private var deadline: Scheduled<Void>?

  /// Multiple of a body's limit that is read before the connection is cut.
  private static let tolerance = 4

  /// The path for pieces of uploads (`BackupsResource`).
  private static let uploads = "/v1/backups/"

  /// True for the paths to which backing tracks are sent (`BackingsResource`).
  private static func isBacking(_ uri: String) -> Bool {
    let path = uri.prefix { $0 != "?" }
    return path.hasPrefix("/v1/rooms/") && path.hasSuffix("/backings")
  }

  init(_ limits: ServerLimits, places: ConnectionPlaces) {
    self.limits = limits
    self.places = places
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(var head):
      (received, checked) = (0, 0)
      isReceiving = true
      most = limits.body * RequestGuard.tolerance
      if head.method == .PATCH, head.uri.hasPrefix(RequestGuard.uploads) { most += limits.upload }
      if head.method == .POST, RequestGuard.isBacking(head.uri) { most += limits.backing }
      guard head.headers.contains(name: "Upgrade") else { break }
      // Only the first request of a connection can be upgraded.
      head.declineUpgrade()
      context.fireChannelRead(wrapInboundOut(.head(head)))
      return
    case .body(let bytes):
      received += bytes.readableBytes
      guard received <= most else {
        context.close(promise: nil)
        return
      }
    case .end:
      isReceiving = false
      deadline?.cancel()
      deadline = nil
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // Most bodies come with their heads and need no timer.
    if isReceiving, deadline == nil { wait(context) }
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data), isReceiving, !places.isProven(context.channel) {
      // A stranger was refused before the body. The rest is read for a moment, so that no reset overtakes the answer.
      deadline?.cancel()
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: .milliseconds(limits.closeTimeout)) { channel.close(promise: nil) }
    }
    context.write(data, promise: promise)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = nil
  }

  private func wait(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    deadline = context.eventLoop.scheduleTask(in: .milliseconds(limits.bodyTimeout)) {
      let (handler, context) = bound.value
      handler.check(context)
    }
  }

  /// Ends the connection if its body should have been complete by now, or comes too slowly.
  private func check(_ context: ChannelHandlerContext) {
    deadline = nil
    guard isReceiving else { return }
    // Only a client with a right to be here may take its time, as long as it gets on.
    let least = Int64(limits.bodyRate) * limits.bodyTimeout / 1_000
    guard places.isProven(context.channel), Int64(received - checked) >= least else {
      return context.close(promise: nil)
    }
    checked = received
    wait(context)
  }
}
