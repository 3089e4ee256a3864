import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Signaling
import Synchronization

/// A WebSocket server of an application, as it stands behind an Audio Connector.
final class SoundListener: Sendable {
  enum Manner: Sendable {
    case listens
    /// Reads nothing after the upgrade.
    case stalls
    /// Takes no upgrade.
    case refuses
  }

  private struct State {
    var path: String?
    var texts: [String] = []
    var sounds: [[UInt8]] = []
    var closing: UInt16?
    var isOver = false
    var connection: (any Channel)?
  }

  private let manner: Manner
  private let state = Mutex(State())

  private init(_ manner: Manner) { self.manner = manner }

  /// A server on a port of its own, for the duration of `body`.
  static func with(
    _ manner: Manner = .listens, _ body: (SoundListener, _ port: Int) async throws -> Void
  ) async throws {
    let listener = SoundListener(manner)
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.socketOption(.so_rcvbuf), value: 8_192)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try listener.accept(channel) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    do {
      try await body(listener, server.localAddress?.port ?? 0)
    } catch {
      try await server.close()
      throw error
    }
    listener.state.withLock { $0.connection }?.close(promise: nil)
    try await server.close()
  }

  private func accept(_ channel: any Channel) throws {
    let headers: HTTPHeaders? = manner == .refuses ? nil : [:]
    let upgrader = NIOWebSocketServerUpgrader(
      shouldUpgrade: { channel, head in
        // Before the other end hears of the upgrade.
        if headers != nil { self.state.withLock { ($0.path, $0.connection) = (head.uri, channel) } }
        return channel.eventLoop.makeSucceededFuture(headers)
      },
      upgradePipelineHandler: { channel, _ in
        let isReading = self.manner == .listens
        return channel.setOption(.autoRead, value: isReading).flatMapThrowing {
          try channel.pipeline.syncOperations.addHandler(Reader(listener: self))
        }
      })
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
    if headers == nil { try channel.pipeline.syncOperations.addHandler(NotFound()) }
  }

  var path: String? { state.withLock { $0.path } }
  var texts: [String] { state.withLock { $0.texts } }
  /// The names of the events among the texts.
  var events: [String] { texts.compactMap { (try? JSONValue(parsing: $0))?.object?["event"]?.string } }
  var sounds: [[UInt8]] { state.withLock { $0.sounds } }
  /// The code of the other end's close.
  var closing: UInt16? { state.withLock { $0.closing } }
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Says goodbye, as an application does that has heard enough.
  func close() {
    let connection = state.withLock { $0.connection }
    let goodbye = WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(bytes: [0x03, 0xE9]))
    connection?.writeAndFlush(goodbye, promise: nil)
  }

  /// Sends sound.
  func send(_ sound: [UInt8]) {
    let connection = state.withLock { $0.connection }
    connection?.writeAndFlush(WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: sound)), promise: nil)
  }

  /// Sends a text, which a connector of binary messages does not read.
  func say(_ text: String) {
    let connection = state.withLock { $0.connection }
    connection?.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)), promise: nil)
  }

  /// Breaks the connection without a word.
  func vanish() { state.withLock { $0.connection }?.close(promise: nil) }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    private let listener: SoundListener

    init(listener: SoundListener) { self.listener = listener }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      var bytes = frame.unmaskedData
      listener.state.withLock { state in
        switch frame.opcode {
        case .text: state.texts.append(String(buffer: bytes))
        case .binary: state.sounds.append(Array(bytes.readableBytesView))
        case .connectionClose: state.closing = bytes.readInteger() ?? 1005
        default: break
        }
      }
      if frame.opcode == .connectionClose { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
      listener.state.withLock { $0.isOver = true }
      context.fireChannelInactive()
    }
  }

  private final class NotFound: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .end = unwrapInboundIn(data) else { return }
      let head = HTTPResponseHead(version: .http1_1, status: .notFound, headers: ["Content-Length": "0"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
