import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Signaling

/// Opens a WebSocket as a client: the signaling link of a room, or one to another server.
package struct WebSocketDialer: Sendable {
  package typealias Stream = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  let endpoint: ServiceEndpoint

  /// Time limit for the service to acknowledge the end of TLS.
  private static let goodbye = TimeAmount.milliseconds(500)
  /// Time limit for connecting, TLS and the upgrade together.
  let timeout: TimeAmount
  /// Maximum message size in bytes.
  let maximumMessage: Int
  private let sendBuffer: Int?

  /// - Parameters:
  ///   - maximumMessage: by default a whole shared object, of which every byte may take six bytes of JSON.
  ///   - sendBuffer: bytes that the system keeps for a server that does not take them; nil for as many as it likes.
  package init(
    endpoint: ServiceEndpoint, timeout: TimeAmount = .seconds(10), maximumMessage: Int = JSONLimits.received.bytes,
    sendBuffer: Int? = nil
  ) {
    (self.endpoint, self.timeout, self.maximumMessage) = (endpoint, timeout, maximumMessage)
    self.sendBuffer = sendBuffer
  }

  /// - Parameter subprotocol: asked for, where the server wants one.
  /// - Throws: `LinkClosed` if the service does not answer with an upgrade, `IOError` if it cannot be reached,
  ///   `TrustFileProblem`.
  package func open(_ path: String, subprotocol: String? = nil) async throws -> Stream {
    let tls = try endpoint.isSecure ? secureContext() : nil
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(timeout)
    let bounded = sendBuffer.map { bootstrap.channelOption(.socketOption(.so_sndbuf), value: .init($0)) }
    let negotiated = try await (bounded ?? bootstrap)
      .connect(host: endpoint.address ?? endpoint.host, port: endpoint.port) { channel in
        channel.eventLoop.makeCompletedFuture { try negotiate(channel, path, subprotocol, tls) }
      }
    guard let stream = try await negotiated.get() else {
      throw LinkClosed(code: 1006, reason: "the service refused the WebSocket at \(path.prefix { $0 != "?" })")
    }
    return stream
  }

  private func negotiate(
    _ channel: any Channel, _ path: String, _ subprotocol: String?, _ tls: NIOSSLContext?
  ) throws -> EventLoopFuture<Stream?> {
    let pipeline = channel.pipeline.syncOperations
    if let tls {
      // An address is no server name (RFC 6066 section 3).
      let name = (try? SocketAddress(ipAddress: endpoint.host, port: 0)) == nil ? endpoint.host : nil
      try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
    }
    let upgrader = NIOTypedWebSocketClientUpgrader<Stream?>(
      maxFrameSize: maximumMessage, enableAutomaticErrorHandling: false,
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1_024,
              maxAccumulatedFrameSize: maximumMessage))
          return try Stream(wrappingChannelSynchronously: channel)
        }
      })
    var headers: HTTPHeaders = ["Host": endpoint.authority, "Content-Length": "0"]
    if let subprotocol { headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
    var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration<Stream?>(
        upgradeRequestHead: head, upgraders: [upgrader],
        notUpgradingCompletionHandler: { channel in
          channel.close(promise: nil)
          return channel.eventLoop.makeSucceededFuture(nil)
        }))
    // The service may speak first, in the same segment as its answer.
    configuration.leftOverBytesStrategy = .forwardBytes
    let result = try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
    let deadline = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    result.whenComplete { _ in deadline.cancel() }
    return result
  }

  private func secureContext() throws -> NIOSSLContext {
    var configuration = try endpoint.tlsConfiguration()
    configuration.shutdownTimeout = WebSocketDialer.goodbye
    return try NIOSSLContext(configuration: configuration)
  }
}
