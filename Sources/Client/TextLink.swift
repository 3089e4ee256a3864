import NIOCore
import NIOWebSocket
import Signaling
import Synchronization

/// A WebSocket of text messages to a foreign server: the client's end, for any protocol that talks in texts.
package struct TextLink: Sendable {
  package var endpoint: ServiceEndpoint
  /// Path and query.
  package var target: String
  /// The subprotocol to ask for (RFC 6455 section 1.9).
  package var subprotocol: String?
  /// Interval between pings, one of which has to be answered before the next; nil where the texts keep the link alive.
  package var pings: Duration?
  /// How much the server may say at a time.
  package var limits: JSONLimits

  package init(
    endpoint: ServiceEndpoint, target: String, subprotocol: String? = nil, pings: Duration? = nil,
    limits: JSONLimits = .foreign
  ) {
    self.endpoint = endpoint
    self.target = target
    self.subprotocol = subprotocol
    self.pings = pings
    self.limits = limits
  }

  /// Opens the link, sends `texts`, and passes the server's texts to `onText` until either side ends it.
  ///
  /// - Parameters:
  ///   - texts: the messages to send; their end closes the link.
  ///   - opened: called once, before the first text.
  ///   - onText: called in order; false gives up the link, because the reader cannot keep up.
  /// - Returns: how the link ended.
  /// - Throws: `LinkClosed` if the server refuses the WebSocket, `IOError` if it cannot be reached.
  package func run(
    _ texts: AsyncStream<String>, opened: @escaping @Sendable () -> Void,
    onText: @escaping @Sendable (String) -> Bool
  ) async throws -> LinkClosed {
    let stream = try await WebSocketDialer(
      endpoint: endpoint, maximumMessage: limits.bytes
    ).open(target, subprotocol: subprotocol)
    return try await stream.executeThenClose { inbound, outbound in
      opened()
      let sign = LifeSign()
      return await withTaskGroup { group in
        // One task for each direction: neither side waits for the other to speak.
        group.addTask { await TextLink.read(inbound, outbound, sign, onText) }
        if let pings { group.addTask { await TextLink.ping(every: pings, sign, outbound) } }
        group.addTask { await TextLink.write(texts, outbound) }
        // Whichever direction ends first ends the link.
        let first = await group.next() ?? .broken
        group.cancelAll()
        return first
      }
    }
  }

  private typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  private static func read(
    _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, _ outbound: Outbound, _ sign: LifeSign,
    _ onText: @Sendable (String) -> Bool
  ) async -> LinkClosed {
    do {
      for try await received in inbound {
        sign.show()
        var data = received.unmaskedData
        switch received.opcode {
        case .text:
          guard onText(String(buffer: data)) else {
            return .flooded
          }
        case .ping: try await outbound.write(TextLink.frame(.pong, data))
        case .connectionClose:
          let code = data.readInteger(as: UInt16.self) ?? 1005
          return LinkClosed(code: code, reason: String(buffer: data))
        default: break
        }
      }
    } catch {
      return .broken
    }
    return .broken
  }

  private static func write(_ texts: AsyncStream<String>, _ outbound: Outbound) async -> LinkClosed {
    do {
      for await text in texts { try await outbound.write(TextLink.frame(.text, ByteBuffer(string: text))) }
      try await outbound.write(TextLink.frame(.connectionClose, ByteBuffer(bytes: [0x03, 0xE8])))
      return .ended
    } catch {
      return .broken
    }
  }

  private static func ping(every pause: Duration, _ sign: LifeSign, _ outbound: Outbound) async -> LinkClosed {
    while (try? await Task.sleep(for: pause)) != nil {
      guard sign.take() else { return LinkClosed(code: 1006, reason: "the server has not answered a ping") }
      guard (try? await outbound.write(TextLink.frame(.ping, ByteBuffer()))) != nil else { return .broken }
    }
    return .broken
  }

  private static func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
  }
}

/// Whether the other end has sent anything since it was last asked.
private final class LifeSign: Sendable {
  private let isThere = Atomic(true)

  func show() { isThere.store(true, ordering: .relaxed) }

  func take() -> Bool { isThere.exchange(false, ordering: .relaxed) }
}
