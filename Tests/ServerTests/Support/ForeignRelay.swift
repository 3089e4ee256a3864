import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Signaling
import Synchronization

@testable import Client

/// A server of WebSockets in front of a real one: passes texts on as a test wants it, and media takes its own way.
final class ForeignRelay: Sendable {
  /// What becomes of a text of the real server: the texts for the client instead.
  typealias Filter = @Sendable (String) -> [String]

  private typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  private struct Client {
    var socket: Socket
    var target: String
  }

  let port: Int
  /// Connections so far.
  let connections = Atomic(0)
  private let endpoint: ServiceEndpoint
  private let filter: Filter
  private let waiting = Mutex<(isHolding: Bool, texts: [String])>((false, []))
  private let clients = Mutex<[AsyncStream<String>.Continuation]>([])
  private let servers = Mutex<[AsyncStream<String>.Continuation]>([])

  private init(_ endpoint: ServiceEndpoint, port: Int, _ filter: @escaping Filter) {
    (self.endpoint, self.port, self.filter) = (endpoint, port, filter)
  }

  static func with(
    _ endpoint: ServiceEndpoint, _ filter: @escaping Filter = { [$0] },
    _ body: @escaping @Sendable (ForeignRelay) async throws -> Void
  ) async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture { try negotiate(channel) }
      }
    let relay = ForeignRelay(endpoint, port: server.channel.localAddress?.port ?? 0, filter)
    try await server.executeThenClose { openings in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await withThrowingDiscardingTaskGroup { connections in
            for try await opening in openings {
              // Either end may break the connection whenever it likes.
              connections.addTask { if let client = try? await opening.get() { try? await relay.serve(client) } }
            }
          }
        }
        group.addTask { try await body(relay) }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  private static func negotiate(_ channel: any Channel) throws -> EventLoopFuture<Client?> {
    let upgrader = NIOTypedWebSocketServerUpgrader<Client?>(
      maxFrameSize: 1 << 20,
      shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          Client(socket: try Socket(wrappingChannelSynchronously: channel), target: head.uri)
        }
      })
    let configuration = NIOUpgradableHTTPServerPipelineConfiguration(
      upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration<Client?>(
        upgraders: [upgrader],
        notUpgradingCompletionHandler: { channel in
          channel.close(promise: nil)
          return channel.eventLoop.makeSucceededFuture(nil)
        }))
    return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: configuration)
  }

  private func serve(_ client: Client) async throws {
    connections.add(1, ordering: .relaxed)
    let (requests, upstream) = AsyncStream.makeStream(of: String.self)
    let (texts, downstream) = AsyncStream.makeStream(of: String.self)
    clients.withLock { $0.append(downstream) }
    servers.withLock { $0.append(upstream) }
    let link = TextLink(endpoint: endpoint, target: client.target, limits: .received)
    try await client.socket.executeThenClose { inbound, outbound in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for try await frame in inbound where frame.opcode == .text {
            upstream.yield(String(buffer: frame.unmaskedData))
          }
        }
        group.addTask {
          _ = try await link.run(requests, opened: {}) { text in
            self.pass(text, to: downstream)
            return true
          }
        }
        group.addTask {
          for await text in texts {
            try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
          }
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  private func pass(_ text: String, to client: AsyncStream<String>.Continuation) {
    waiting.withLock { waiting in
      for each in filter(text) {
        if waiting.isHolding { waiting.texts.append(each) } else { client.yield(each) }
      }
    }
  }

  /// Keeps back what the real server says from now on.
  func hold() { waiting.withLock { $0.isHolding = true } }

  /// Says something to the real server in the client's name; the filter should not pass on the answer.
  func ask(_ text: String) { for server in servers.withLock({ $0 }) { server.yield(text) } }

  /// Passes on what was kept back, and everything after it.
  func release() {
    waiting.withLock { waiting in
      for text in waiting.texts { for client in clients.withLock({ $0 }) { client.yield(text) } }
      waiting = (false, [])
    }
  }

  /// Breaks all connections.
  func cut() {
    let all = clients.withLock { clients in
      defer { clients = [] }
      return clients
    }
    for client in all { client.finish() }
  }
}
