import Glibc
import Library
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// Listens for RTMP connections, or for RTMPS if the service has a certificate.
struct RTMPListener: NamedService {
  let host: String
  let port: ServerConfiguration.RTMPPort
  let tls: TLSConfiguration?
  let services: RTMPServices
  let places: ConnectionPlaces
  let onListening: @Sendable (Int) -> Void

  /// Listens until the graceful shutdown, which notifies and ends open connections.
  /// - Throws: `ListeningProblem` if the port is taken or the address is not ours.
  func run() async throws {
    do {
      try await listen()
    } catch let error as IOError where error.errnoCode == EADDRINUSE && port.isDefault {
      services.logger.warning(
        "the port of RTMP is in use, so RTMP is off; choose another port with --rtmp-port",
        metadata: ["port": "\(port.number)"])
      try await gracefulShutdown()
    } catch let error as IOError {
      throw ListeningProblem(host: host, port: port.number, option: "--rtmp-port", code: error.errnoCode)
    }
  }

  private func listen() async throws {
    let context = try tls.map { try NIOSSLContext(configuration: $0) }
    let (quotas, places) = (services.turnstile.quotas, places)
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionGate(places: places))
        }
      }
      // Without this, stalls of 40 ms occurred.
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .bind(host: host, port: port.number) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
          try channel.pipeline.syncOperations.addHandler(ArrivalStamp())
          if !quotas.admit(channel) { channel.close(promise: nil) }
          return try RTMPLink.Stream(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
    let bound = server.channel.localAddress?.port ?? port.number
    services.logger.info("listening for RTMP", metadata: ["port": "\(bound)", "tls": "\(tls != nil)"])
    onListening(bound)
    try await server.executeThenClose { connections in
      try await withThrowingDiscardingTaskGroup { group in
        for try await connection in connections.cancelOnGracefulShutdown() {
          group.addTask { await RTMPLink(services: services, places: places).run(connection) }
        }
      }
    }
  }
}
