import Music
import NIOCore
import NIOPosix
import NIOSSL

/// Looks at a server's certificates without trusting it, and sends it nothing.
package struct TLSProbe: Sendable {
  package var endpoint: ServiceEndpoint

  package enum Outcome: Hashable, Sendable {
    /// The server's certificate and those that it sent with it, in DER.
    case certificates([[UInt8]])
    /// It answers, but not in TLS.
    case noTLS
    /// Nothing was heard that says more.
    case silent
  }

  /// Time limit for the connection and the handshake, each.
  private static let timeout = TimeAmount.seconds(5)

  package init(_ endpoint: ServiceEndpoint) {
    self.endpoint = endpoint
  }

  package func run() async -> Outcome {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv1
    guard let context = try? NIOSSLContext(configuration: configuration) else { return .silent }
    let address = try? SocketAddress(ipAddress: endpoint.host, port: 0)
    let name = address == nil ? endpoint.host : nil
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let outcome = loop.makePromise(of: Outcome.self)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(TLSProbe.timeout)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let handler = try NIOSSLClientHandler(
            context: context, serverHostname: name,
            customVerificationCallback: { chain, verdict in
              outcome.succeed(.certificates(chain.compactMap { try? $0.toDERBytes() }))
              // All that was wanted.
              verdict.succeed(.failed)
            })
          try channel.pipeline.syncOperations.addHandlers([handler, HandshakeWatch(outcome)])
        }
      }
    // A name may have several addresses: an attempt that fails beside another one says nothing.
    bootstrap.connect(host: endpoint.address ?? endpoint.host, port: endpoint.port).whenComplete { connection in
      guard case .success(let channel) = connection else { return outcome.succeed(.silent) }
      let limit = channel.eventLoop.scheduleTask(in: TLSProbe.timeout) { channel.close(promise: nil) }
      channel.closeFuture.whenComplete { _ in
        limit.cancel()
        outcome.succeed(.silent)
      }
    }
    return (try? await outcome.futureResult.get()) ?? .silent
  }
}

/// Hears how a handshake fails.
private final class HandshakeWatch: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let outcome: EventLoopPromise<TLSProbe.Outcome>

  init(_ outcome: EventLoopPromise<TLSProbe.Outcome>) {
    self.outcome = outcome
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .handshakeFailed(let reason)? = error as? NIOSSLError, "\(reason)".contains(HandshakeWatch.foreign) {
      outcome.succeed(.noTLS)
    }
    context.close(promise: nil)
  }

  /// BoringSSL's word for an answer that begins as no record of TLS does. It has no code of its own in NIOSSL.
  private static let foreign = "WRONG_VERSION_NUMBER"
}
