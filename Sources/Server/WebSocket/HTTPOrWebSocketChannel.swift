import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import Rooms

/// HTTP/1.1 and WebSockets on one port: the first request decides the kind of a connection.
struct HTTPOrWebSocketChannel: HTTPChannelHandler {
  typealias HTTPStream = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
  typealias WebSocketStream = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  /// The kind of a connection.
  enum Negotiated: Sendable {
    case http(HTTPStream)
    case webSocket(WebSocketStream, LinkOpening)
    /// Refused, or closed before it was known.
    case nothing
  }

  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let negotiated: EventLoopFuture<Negotiated>
  }

  let responder: HTTPChannelHandler.Responder
  let limits: ServerLimits
  let isSecure: Bool
  let quotas: Quotas
  let places: ConnectionPlaces
  let origins: OriginPolicy
  let prompt: PromptTakes
  let ledger: WorkLedger
  let serve: @Sendable (WebSocketStream, LinkOpening) async -> Void

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let loop = channel.eventLoop
    guard quotas.admit(channel) else {
      channel.close(promise: nil)
      return loop.makeSucceededFuture(Value(channel: channel, negotiated: loop.makeSucceededFuture(.nothing)))
    }
    return loop.makeCompletedFuture {
      let negotiated = try negotiate(channel, logger)
      // The idle handler only starts once HTTP has begun; silent and very slow clients end here.
      let deadline = loop.scheduleTask(in: .milliseconds(limits.handshakeTimeout)) { channel.close(promise: nil) }
      negotiated.whenComplete { _ in deadline.cancel() }
      return Value(channel: channel, negotiated: negotiated)
    }
  }

  private func negotiate(_ channel: any Channel, _ logger: Logger) throws -> EventLoopFuture<Negotiated> {
    let upgrader = NIOTypedWebSocketServerUpgrader<Negotiated>(
      maxFrameSize: limits.message, enableAutomaticErrorHandling: false,
      // The gate has checked the head already.
      shouldUpgrade: { channel, head in
        channel.eventLoop.makeSucceededFuture(LinkOpening(head)?.responseHeaders ?? [:])
      },
      upgradePipelineHandler: { channel, head in webSocket(channel, head) })
    var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
        upgraders: [upgrader], notUpgradingCompletionHandler: { channel in http(channel, logger) }))
    configuration.enablePipelining = false
    configuration.enableErrorHandling = false
    configuration.enableResponseHeaderValidation = false
    configuration.decoderConfiguration.maxHeaderFieldSize = limits.headers
    configuration.decoderConfiguration.maxHeaderListSize = limits.headers
    configuration.decoderConfiguration.maxHeaderFieldCount = limits.headerCount
    let pipeline = channel.pipeline.syncOperations
    let result = try pipeline.configureUpgradableHTTPServerPipeline(configuration: configuration)
    let origins = origins
    let gate = UpgradeGate { head in
      // What is refused here is answered over HTTP.
      LinkOpening.isUpgrade(head) && HostGuard.objection(to: head) == nil
        && origins.objection(to: head.headers.first(name: "Origin"), authority: head.headers.first(name: "Host")) == nil
    }
    let upgradeHandler = try pipeline.handler(type: NIOTypedHTTPServerUpgradeHandler<Negotiated>.self)
    try pipeline.addHandler(gate, position: .before(upgradeHandler))
    return result
  }

  private func http(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<Negotiated> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(StallGuard(patience: limits.streamStall, logger: logger))
      try pipeline.addHandler(HostGuard())
      try pipeline.addHandler(RequestMark(places: places))
      try pipeline.addHandler(RequestGuard(limits, places: places))
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
      try pipeline.addHandler(
        HTTPConnectionStateHandler(idleTimeout: .milliseconds(limits.idleTimeout), logger: logger))
      try pipeline.addHandler(PromptHandler(prompt, Turnstile.Origin(channel)))
      return .http(
        try HTTPStream(
          wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
    }
  }

  private func webSocket(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<Negotiated> {
    channel.eventLoop.makeCompletedFuture {
      guard let opening = LinkOpening(head) else { return .nothing }
      places.begin(channel)
      return .webSocket(try WebSocketStream(wrappingChannelSynchronously: channel), opening)
    }
  }

  func handle(value: Value, logger: Logger) async {
    // All waiting of a client or a handler ends with its connection.
    await withTaskCancellationHandler {
      await negotiated(value, logger)
    } onCancel: {
      value.channel.close(promise: nil)
    }
  }

  private func negotiated(_ value: Value, _ logger: Logger) async {
    let id = ObjectIdentifier(value.channel).hashValue
    ledger.begin(.http, id)
    defer { for kind in [WorkLedger.Kind.http, .link] { ledger.end(kind, id) } }
    do {
      switch try await value.negotiated.get() {
      case .http(let stream): await handleHTTP(asyncChannel: stream, logger: logger)
      case .webSocket(let stream, let opening):
        ledger.end(.http, id)
        ledger.begin(.link, id)
        await serve(stream, opening)
      case .nothing: value.channel.close(promise: nil)
      }
    } catch {
      // Closed, timed out, or not HTTP at all: scans and health probes are not worth a log line each.
      logger.debug("a connection ended before its first request", metadata: ["error": "\(error)"])
      value.channel.close(promise: nil)
    }
  }
}
