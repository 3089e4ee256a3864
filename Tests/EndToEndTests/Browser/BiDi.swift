import NIOCore
import NIOWebSocket
import Signaling
import Synchronization

@testable import Client

/// A client of WebDriver BiDi (w3.org/TR/webdriver-bidi): commands and their results over a WebSocket.
final class BiDi: Sendable {
  private struct Waiting {
    var nextID: Int64 = 1
    /// By the identifier of the command that each waits for.
    var continuations: [Int64: CheckedContinuation<JSONObject, any Error>] = [:]
    var isOver = false
  }

  /// A picture of a page is one string.
  private static let limits = JSONLimits(bytes: 16_000_000, depth: 64, stringBytes: 16_000_000, values: 1_000_000)

  private let waiting = Mutex(Waiting())
  private let commands: AsyncStream<String>.Continuation

  /// Connects to a browser that listens on a port of this machine.
  init(port: Int) async throws {
    let stream = try await WebSocketDialer(endpoint: ServiceEndpoint(host: "127.0.0.1", port: port)).open("/session")
    let (texts, commands) = AsyncStream.makeStream(of: String.self)
    self.commands = commands
    Task {
      try? await stream.executeThenClose { inbound, outbound in
        try await withThrowingTaskGroup { group in
          group.addTask {
            for await text in texts { try await BiDi.write(.text, ByteBuffer(string: text), to: outbound) }
          }
          group.addTask {
            for try await frame in inbound {
              switch frame.opcode {
              case .text: self.received(String(buffer: frame.unmaskedData))
              case .ping: try await BiDi.write(.pong, frame.unmaskedData, to: outbound)
              case .connectionClose: return
              default: break
              }
            }
          }
          // Whichever ends first ends the other: `close()`, or the browser.
          try await group.next()
          group.cancelAll()
        }
      }
      self.ended()
    }
  }

  /// Sends a command and waits for its result.
  @discardableResult
  func command(_ method: String, _ parameters: JSONObject = [:]) async throws -> JSONObject {
    let answer = try await withCheckedThrowingContinuation { continuation in
      let id: Int64? = waiting.withLock { waiting in
        guard !waiting.isOver else { return nil }
        defer { waiting.nextID += 1 }
        waiting.continuations[waiting.nextID] = continuation
        return waiting.nextID
      }
      guard let id else { return continuation.resume(throwing: EndToEndFailure("\(method): the browser is gone")) }
      commands.yield(
        JSONValue.object(["id": .integer(id), "method": .string(method), "params": .object(parameters)]).text)
    }
    guard answer["type"] == "success" else {
      throw EndToEndFailure("\(method): \(answer["error"]?.string ?? "?"): \(answer["message"]?.string ?? "?")")
    }
    return answer["result"]?.object ?? [:]
  }

  /// Ends the connection; what still waits fails.
  func close() { commands.finish() }

  private static func write(
    _ opcode: WebSocketOpcode, _ data: ByteBuffer, to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  ) async throws {
    try await outbound.write(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data))
  }

  private func received(_ text: String) {
    // Events have no identifier; nobody has asked for any.
    guard let answer = try? JSONValue(parsing: text, limits: BiDi.limits).object, let id = answer["id"]?.integer else {
      return
    }
    waiting.withLock { $0.continuations.removeValue(forKey: id) }?.resume(returning: answer)
  }

  private func ended() {
    let left = waiting.withLock { waiting in
      waiting.isOver = true
      defer { waiting.continuations = [:] }
      return waiting.continuations.values
    }
    for continuation in left { continuation.resume(throwing: EndToEndFailure("the browser ended the connection")) }
  }
}
