import Glibc
import NIOCore
import NIOHTTP1

/// A listener's accept: waits while no place is left, and pauses when the system has no descriptor.
///
/// After EMFILE, NIO leaves the listening socket registered for reading: its backoff delays the next read, but the
/// failed one still counts as pending. Epoll then reports the socket again and again, which keeps a core busy and
/// blocks the loop. This handler switches reading off instead.
final class ConnectionGate: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  /// Time for other connections to release descriptors.
  private static let rest = TimeAmount.milliseconds(250)

  private let places: ConnectionPlaces
  private var isWaiting = false
  private var isResting = false

  init(places: ConnectionPlaces) {
    self.places = places
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // One at a time, so that places are counted in between.
    context.channel.setOption(.maxMessagesPerRead, value: 1).whenFailure { _ in }
    let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    places.add(ObjectIdentifier(self)) {
      loop.execute {
        let (handler, context) = gate.value
        handler.wake(context)
      }
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { places.remove(ObjectIdentifier(self)) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    places.enter(unwrapInboundIn(data))
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    guard !isResting else { return isWaiting = true }
    guard places.isOpen else {
      if !isWaiting { places.paused() }
      isWaiting = true
      // A place may have become free at this moment without a notification.
      if places.isOpen { wake(context) }
      return
    }
    context.read()
  }

  private func wake(_ context: ChannelHandlerContext) {
    guard isWaiting, !isResting, places.isOpen else { return }
    isWaiting = false
    context.read()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let problem = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(problem.errnoCode) else {
      return context.fireErrorCaught(error)
    }
    places.failed(problem)
    guard !isResting else { return }
    isResting = true
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenFailure { _ in }
    let gate = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: ConnectionGate.rest) {
      let (handler, context) = gate.value
      handler.isResting = false
      channel.setOption(.autoRead, value: true).whenFailure { _ in }
      handler.wake(context)
    }
  }
}

/// Marks an HTTP connection as in use from a request's head to the end of the response.
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
    // Only after the last byte: a slow reader is still receiving the response.
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { _ in places.rest(channel) }
    context.write(data, promise: written)
  }
}
