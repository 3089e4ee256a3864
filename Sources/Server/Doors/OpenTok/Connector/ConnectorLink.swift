import Client
import Machines
import NIOCore
import NIOWebSocket
import Recording
import Rooms
import Signaling
import Synchronization

/// The WebSocket of an Audio Connector, as the client's end.
///
/// Nothing waits for the server: sound that it does not take in time is left out.
final class ConnectorLink: Sendable {
  /// How it ended.
  enum End: Sendable {
    case closedByServer
    case lost
    /// By us.
    case finished
  }

  private enum Step: Sendable {
    case message(OpenTokConnector.Message, isSound: Bool)
    case pong(ByteBuffer)
    case end
  }

  private struct State {
    /// Messages of sound that wait for the server.
    var waiting = 0
    var lost: Int64 = 0
    var isEnding = false
  }

  /// Two seconds.
  private static let mostWaiting = 100
  /// Most pings of the server that wait for their answer.
  private static let mostPongs = 8
  /// A server that takes nothing for so long is lost.
  private static let patience = MonotonicTime.Span.seconds(15)
  /// For the server's farewell.
  private static let farewell = Duration.seconds(1)
  /// Time for the connection, TLS and the upgrade together: the vendor's.
  private static let connectLimit = TimeAmount.seconds(6)
  /// Bytes that may be on their way: what is older is no live sound any more.
  private static let sendBuffer = 65_536
  /// Largest message of the server's.
  private static let largestMessage = 65_536

  private let stream: WebSocketDialer.Stream
  private let steps: AsyncStream<Step>
  private let queue: AsyncStream<Step>.Continuation
  private let pongs = Atomic<Int>(0)
  private let state = Mutex(State())

  private init(_ stream: WebSocketDialer.Stream) {
    self.stream = stream
    (steps, queue) = AsyncStream.makeStream()
  }

  /// Opens the WebSocket.
  /// - Throws: `OpenTokRefusal` 400 that says why there is none.
  static func open(_ address: WebhookURL, by route: OutwardRoute) async throws(OpenTokRefusal) -> ConnectorLink {
    let place = "\(address.isSecure ? "wss" : "ws")://\(address.authority)"
    let found: [String]
    do throws(OutwardRoute.Refusal) {
      found = try await route.addresses(of: address)
    } catch {
      throw .badRequest("the WebSocket server at \(place) cannot be used: \(error.reason)")
    }
    do {
      let endpoint = ServiceEndpoint(
        host: address.host, port: address.port, isSecure: address.isSecure, trust: route.trust, address: found.first)
      let dialer = WebSocketDialer(
        endpoint: endpoint, timeout: connectLimit, maximumMessage: largestMessage, sendBuffer: sendBuffer)
      return ConnectorLink(try await dialer.open(address.target))
    } catch is LinkClosed {
      throw .badRequest("the server at \(place) has not accepted the WebSocket at the path of the \"uri\"")
    } catch {
      throw .badRequest("the WebSocket server at \(place) was not reached within 6 s: \(error)")
    }
  }

  /// Messages of sound that the server was too slow for.
  var lost: Int64 { state.withLock { $0.lost } }

  /// Takes 20 ms of sound without waiting.
  func offer(_ sound: OpenTokConnector.Message) {
    state.withLock { state in
      guard state.waiting < ConnectorLink.mostWaiting else {
        state.lost &+= 1
        return
      }
      state.waiting += 1
      queue.yield(.message(sound, isSound: true))
    }
  }

  /// Tells the server something.
  func say(_ message: OpenTokConnector.Message) { queue.yield(.message(message, isSound: false)) }

  /// Closes the WebSocket after what was said; `run` then returns.
  func finish() {
    state.withLock { $0.isEnding = true }
    queue.yield(.end)
  }

  /// Sends until `finish`, until the server closes the WebSocket or is lost, or until cancellation.
  /// - Parameter heard: gets what the server sends.
  func run(_ heard: @escaping @Sendable (OpenTokConnector.Message) -> Void = { _ in }) async -> End {
    let pace = WritePace()
    let end: End? = try? await stream.executeThenClose { inbound, outbound in
      await withTaskGroup(of: End.self) { group in
        group.addTask { await self.read(inbound, outbound, heard) }
        group.addTask { await self.write(outbound, pace) }
        group.addTask { await self.watch(pace) }
        let first = await group.next() ?? .lost
        group.cancelAll()
        return first
      }
    }
    return state.withLock { $0.isEnding } ? .finished : end ?? .lost
  }

  private typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  private func read(
    _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, _ outbound: Outbound,
    _ heard: @Sendable (OpenTokConnector.Message) -> Void
  ) async -> End {
    do {
      for try await received in inbound {
        switch received.opcode {
        case .connectionClose:
          try? await outbound.write(ConnectorLink.frame(.connectionClose, received.unmaskedData))
          return .closedByServer
        case .ping where pongs.load(ordering: .relaxed) < ConnectorLink.mostPongs:
          pongs.add(1, ordering: .relaxed)
          queue.yield(.pong(received.unmaskedData))
        case .binary: heard(.binary(Array(received.unmaskedData.readableBytesView)))
        case .text: heard(.text(String(buffer: received.unmaskedData)))
        default: break
        }
      }
    } catch {
      // As when it ends without a word.
    }
    return .lost
  }

  private func write(_ outbound: Outbound, _ pace: WritePace) async -> End {
    do {
      for await step in steps {
        pace.begin(at: MonotonicClock.now)
        switch step {
        case .message(let message, let isSound):
          if isSound { state.withLock { $0.waiting -= 1 } }
          try await outbound.write(ConnectorLink.frame(message))
        case .pong(let data):
          pongs.subtract(1, ordering: .relaxed)
          try await outbound.write(ConnectorLink.frame(.pong, data))
        case .end:
          try await outbound.write(ConnectorLink.frame(.connectionClose, ByteBuffer(bytes: [0x03, 0xE8])))
          // The reader sees the server's own farewell before.
          try? await Task.sleep(for: ConnectorLink.farewell)
          return .finished
        }
        pace.end(at: MonotonicClock.now)
      }
    } catch {
      // The connection broke.
    }
    return .lost
  }

  private func watch(_ pace: WritePace) async -> End {
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      guard pace.isStuck(longerThan: ConnectorLink.patience, at: MonotonicClock.now) else { continue }
      stream.channel.close(promise: nil)
      return .lost
    }
    return .lost
  }

  private static func frame(_ message: OpenTokConnector.Message) -> WebSocketFrame {
    switch message {
    case .text(let text): frame(.text, ByteBuffer(string: text))
    case .binary(let bytes): frame(.binary, ByteBuffer(bytes: bytes))
    }
  }

  private static func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
  }
}
