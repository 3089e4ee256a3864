import Glibc
import NIOCore
import NIOHTTP1

/// A listener's accept: it waits where no place is left, and rests where the system has no descriptor.
///
/// NIO leaves a listening socket that failed with EMFILE registered for reading (its backoff keeps back the next read,
/// but the one that failed still counts as pending), and epoll reports it at once, again and again: a core is busy with
/// that, and everything else on its loop waits. Reading is switched off here instead.
final class ConnectionGate: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  /// Time for others to give descriptors back.
  private static let rest = TimeAmount.milliseconds(250)

  private let places: ConnectionPlaces
  private var isWaiting = false
  private var isResting = false

  init(places: ConnectionPlaces) {
    self.places = places
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // One at a time, so that the places are counted in between.
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
      // A place may have become free at this moment, and nobody told us.
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
