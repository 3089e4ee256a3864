import NIOCore
import NIOHTTP1

/// Says when an HTTP connection is in use: from a request's head to its answer's end.
final class RequestMark: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let places: ConnectionPlaces

  init(places: ConnectionPlaces) {
    self.places = places
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) { places.begin(context.channel) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    let (places, channel) = (places, context.channel)
    // With the last byte, not before: a client that reads slowly is in the middle of it.
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in places.rest(channel) }
    context.write(data, promise: written)
  }
}
