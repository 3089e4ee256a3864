import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers what `PromptTakes` can on the connection's own thread, and passes on the rest.
///
/// Responses keep the order of their requests: nothing is answered here while the router has a request of the connection.
/// A client that sends many requests without waiting leaves this thread to others (the router's limits apply), and so
/// does one that does not read the responses.
final class PromptHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Most answers to what is read at once.
  private static let most = 8

  private let takes: PromptTakes
  private let origin: Turnstile.Origin
  /// A request whose end has not come.
  private var held: HTTPRequest?
  /// Requests that the router has not answered.
  private var unanswered = 0
  /// Answers since the last pause of the client.
  private var answers = 0
  /// Fulfilled when the latest answer is on its way.
  private var latest: EventLoopFuture<Void>?
  /// True if the client sends no more, and the router does not know it yet.
  private var isEnding = false

  init(_ takes: PromptTakes, _ origin: Turnstile.Origin) {
    (self.takes, self.origin) = (takes, origin)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard unanswered == 0, answers < PromptHandler.most, context.channel.isWritable, takes.mayAnswer(head) else {
        unanswered += 1
        return context.fireChannelRead(data)
      }
      held = head
    case .body:
      passOn(context)
      context.fireChannelRead(data)
    case .end(let trailers):
      guard let head = held, trailers == nil, let answer = takes.answer(head, from: origin) else {
        passOn(context)
        return context.fireChannelRead(data)
      }
      held = nil
      answers += 1
      context.write(
        wrapOutboundOut(.head(HTTPResponse(status: answer.status, headerFields: answer.headers))), promise: nil)
      if head.method != .head, let body = answer.body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
      let written = context.eventLoop.makePromise(of: Void.self)
      latest = written.futureResult
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    answers = 0
    context.fireChannelReadComplete()
  }

  /// Passes on the end of what the client sends only after all answers: the router closes the connection with it, and
  /// whatever is not written by then is lost.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard latest != nil || unanswered > 0, case ChannelEvent.inputClosed? = event as? ChannelEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    isEnding = true
    end(context)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    unanswered = max(0, unanswered - 1)
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    latest = written.futureResult
    context.write(data, promise: written)
    end(context)
  }

  private func end(_ context: ChannelHandlerContext) {
    guard isEnding, unanswered == 0 else { return }
    isEnding = false
    guard let latest else { return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    latest.whenComplete { _ in bound.value.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
  }

  /// Leaves the request to the router after all.
  private func passOn(_ context: ChannelHandlerContext) {
    guard let head = held else { return }
    held = nil
    unanswered += 1
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
