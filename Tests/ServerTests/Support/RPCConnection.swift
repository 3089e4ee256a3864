import NIOCore
import NIOHTTP1
import NIOWebSocket
import Signaling
import Synchronization
import Testing

@testable import Client
@testable import Server

/// A client of the JSON-RPC dialects, for tests: calls and notifications over a plain WebSocket.
final class RPCConnection: Sendable {
  private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  private let channel: any Channel
  private let messages: AsyncStream<JSONObject>
  private let unread = Mutex<[JSONObject]>([])
  private let nextID = Mutex<Int64>(0)
  private let closing = Mutex<UInt16?>(nil)
  private let words = Mutex<[String]>([])

  private init(
    _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel,
    _ messages: AsyncStream<JSONObject>
  ) {
    self.outbound = outbound
    self.channel = channel
    self.messages = messages
  }

  static func with<Result: Sendable>(
    _ service: TestService, path: String = "/room", _ body: (RPCConnection) async throws -> Result
  ) async throws -> Result {
    let stream = try await WebSocketDialer(endpoint: service.endpoint).open(path)
    return try await stream.executeThenClose { inbound, outbound in
      let (messages, continuation) = AsyncStream.makeStream(of: JSONObject.self)
      let connection = RPCConnection(outbound, stream.channel, messages)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await connection.read(inbound, continuation) }
        let result = try await body(connection)
        group.cancelAll()
        return result
      }
    }
  }

  private func read(
    _ frames: NIOAsyncChannelInboundStream<WebSocketFrame>, _ continuation: AsyncStream<JSONObject>.Continuation
  ) async {
    do {
      for try await frame in frames {
        var data = frame.unmaskedData
        switch frame.opcode {
        case .text:
          let text = String(buffer: data)
          let value = try JSONValue(parsing: text, limits: JSONLimits())
          if let object = value.object { continuation.yield(object) }
          if let sentence = value.string { words.withLock { $0.append(sentence) } }
        case .connectionClose:
          let code = data.readInteger(as: UInt16.self)
          closing.withLock { $0 = code }
          try await send(.connectionClose, ByteBuffer(integer: code ?? 1000))
        case .ping: try await send(.pong, data)
        default: break
        }
      }
    } catch {}
    continuation.finish()
  }

  private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) async throws {
    try await outbound.write(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data))
  }

  func send(_ text: String) async throws { try await send(.text, ByteBuffer(string: text)) }

  /// The code with which the service closed the link; nil where it did not.
  var closedWith: UInt16? { closing.withLock { $0 } }

  /// JSON strings in place of messages: XirSys' form for telling why a link closes.
  var sentences: [String] { words.withLock { $0 } }

  /// Breaks the connection without a word.
  func cut() { channel.close(promise: nil) }

  /// Reads no further, so that what the service says waits there.
  func stopReading() async throws { try await channel.pipeline.addHandler(Deafness(), position: .first).get() }

  /// Closes the link, with this code or without one.
  func close(_ code: UInt16? = nil) async throws {
    try await send(.connectionClose, code.map { ByteBuffer(integer: $0) } ?? ByteBuffer())
  }

  /// Waits until the service closes.
  func untilClosed() async {
    for await message in messages { unread.withLock { $0.append(message) } }
  }

  /// The next message that fits, passing over others, which stay to be read.
  func next(_ what: String, where fits: (JSONObject) -> Bool) async throws -> JSONObject {
    let known = unread.withLock { unread in unread.firstIndex(where: fits).map { unread.remove(at: $0) } }
    if let known { return known }
    for await message in messages {
      if fits(message) { return message }
      unread.withLock { $0.append(message) }
    }
    throw LinkClosed(code: closedWith ?? 1006, reason: "the link ended before \(what)")
  }

  /// Everything that came and was not asked for.
  var leftOver: [JSONObject] { unread.withLock { $0 } }

  /// Sends a request; answers the whole response.
  func call(_ method: String, _ params: JSONObject? = nil, id: Int64? = nil) async throws -> JSONObject {
    let id =
      id
      ?? nextID.withLock { next in
        defer { next += 1 }
        return next
      }
    var request: JSONObject = ["jsonrpc": "2.0", "id": .integer(id), "method": .string(method)]
    if let params { request["params"] = .object(params) }
    try await send(JSONValue.object(request).text)
    return try await next("the answer to \(method)") { $0["id"] == .integer(id) }
  }

  /// The result of a request that must succeed.
  func result(_ method: String, _ params: JSONObject? = nil) async throws -> JSONObject {
    let response = try await call(method, params)
    return try #require(response["result"]?.object, "\(method): \(JSONValue.object(response).text)")
  }

  /// The code of the error of a request that must fail.
  func error(_ method: String, _ params: JSONObject? = nil) async throws -> Int64? {
    try await call(method, params)["error"]?.object?["code"]?.integer
  }

  /// The parameters of the next notification of that name.
  func notification(_ method: String) async throws -> JSONObject {
    let message = try await next(method) { $0["method"]?.string == method }
    #expect(message["id"] == nil, "a notification has no id")
    return try #require(message["params"]?.object)
  }

  /// Joins a room; answers the list of members.
  func join(_ room: String, as user: String) async throws -> [JSONValue] {
    let result = try await result("joinRoom", ["user": .string(user), "room": .string(room), "dataChannels": false])
    return try #require(result["value"]?.array)
  }
}

/// Swallows every wish to read: with `autoRead` off, `NIOAsyncChannel` still asks for more by itself.
private final class Deafness: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = Any

  func read(context: ChannelHandlerContext) {}
}
