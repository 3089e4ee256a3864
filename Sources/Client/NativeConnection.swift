import Machines
import Music
import NIOCore
import NIOWebSocket
import Recording
import Signaling
import Synchronization

/// The client's end of a native signaling link: pumps a `NativeClient` over a WebSocket.
///
/// Every call waits for its own answer; calls from several tasks may overlap.
package final class NativeConnection: Sendable {
  /// The room's events; ends with the link.
  package let events: AsyncStream<RoomEvent>

  private enum Answer: Sendable {
    case joined(Seating)
    case reply(RoomReply)
    case clock(NativeClockSample)
  }

  private struct State: ~Copyable {
    var client = NativeClient()
    var waiting: [NativeRequestID: CheckedContinuation<Answer, any Error>] = [:]
    var closed: LinkClosed?
  }

  private let state = Mutex(State())
  private let news: AsyncStream<RoomEvent>.Continuation
  private let texts: AsyncStream<String>
  private let outgoing: AsyncStream<String>.Continuation

  /// Maximum number of events queued for a slow reader; the service drops clients that fall further behind, too.
  private static let eventCapacity = 1_024

  private init() {
    (events, news) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(NativeConnection.eventCapacity))
    (texts, outgoing) = AsyncStream.makeStream()
  }

  /// Opens a link to `room`, runs `body` with it, and closes it.
  /// - Throws: errors of `body`, `LinkClosed` if the service refuses the link, `IOError` if it cannot be reached.
  package static func with<Result: Sendable>(
    _ endpoint: ServiceEndpoint, room: RoomName, _ body: (NativeConnection) async throws -> Result
  ) async throws -> Result {
    let stream = try await WebSocketDialer(endpoint: endpoint).open(RESTNames.signal(of: room))
    return try await stream.executeThenClose { inbound, outbound in
      let connection = NativeConnection()
      async let _: Void = connection.read(inbound, outbound)
      async let writing: Void = connection.write(outbound)
      do {
        let result = try await body(connection)
        connection.outgoing.finish()
        await writing
        return result
      } catch {
        connection.outgoing.finish()
        await writing
        throw error
      }
    }
  }

  // MARK: Requests

  /// Enters the room of the link.
  /// - Throws: `RoomRefusal`, `LinkClosed`.
  package func join(_ request: JoinRequest, token: String? = nil) async throws -> Seating {
    guard case .joined(let grant) = try await ask({ $0.join(request, token: token, at: $1) }) else {
      throw NativeConnection.crossed
    }
    return grant
  }

  /// Sends a command to the room.
  /// - Throws: `RoomRefusal`, `LinkClosed`.
  package func perform(_ command: RoomCommand) async throws -> RoomReply {
    guard case .reply(let reply) = try await ask({ $0.perform(command, at: $1) }) else {
      throw NativeConnection.crossed
    }
    return reply
  }

  /// Reads the service's clock.
  package func ping() async throws -> NativeClockSample {
    guard case .clock(let sample) = try await ask({ $0.ping(at: $1) }) else { throw NativeConnection.crossed }
    return sample
  }

  private static let crossed = RoomRefusal(.malformed, "the service answered something else than was asked")

  private func ask(
    _ question: (inout NativeClient, MonotonicTime) -> NativeRequestID
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { continuation in
      let closed = state.withLock { state -> LinkClosed? in
        if let closed = state.closed { return closed }
        let id = question(&state.client, MonotonicClock.now)
        state.waiting[id] = continuation
        while let output = state.client.next() {
          // Requests only produce texts; answers arrive through reading.
          if case .send(let text) = output { outgoing.yield(text) }
        }
        return nil
      }
      if let closed { continuation.resume(throwing: closed) }
    }
  }

  // MARK: The link

  private typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  private func write(_ outbound: Outbound) async {
    do {
      for await text in texts {
        try await outbound.write(frame(.text, ByteBuffer(string: text)))
      }
      try await outbound.write(frame(.connectionClose, ByteBuffer(bytes: [0x03, 0xE8])))
    } catch {
      end(.broken)
    }
  }

  private func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
  }

  private func read(_ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, _ outbound: Outbound) async {
    do {
      for try await received in inbound {
        var data = received.unmaskedData
        switch received.opcode {
        case .text: handle(String(buffer: data))
        case .ping: try await outbound.write(frame(.pong, data))
        case .connectionClose:
          let code = data.readInteger(as: UInt16.self) ?? 1005
          return end(LinkClosed(code: code, reason: String(buffer: data)))
        default: break
        }
      }
      end(.broken)
    } catch {
      end(.broken)
    }
  }

  private func handle(_ text: String) {
    var answers: [(CheckedContinuation<Answer, any Error>, Result<Answer, any Error>)] = []
    state.withLock { state in
      state.client.handle(.text(text), at: MonotonicClock.now)
      func answer(_ id: NativeRequestID, _ result: Result<Answer, any Error>) {
        if let waiting = state.waiting.removeValue(forKey: id) { answers.append((waiting, result)) }
      }
      while let output = state.client.next() {
        switch output {
        case .send(let text): outgoing.yield(text)
        case .joined(let id, let grant): answer(id, .success(.joined(grant)))
        case .reply(let id, let reply): answer(id, .success(.reply(reply)))
        case .clock(let id, let sample): answer(id, .success(.clock(sample)))
        case .refused(let id?, let refusal): answer(id, .failure(refusal))
        case .event(let event): news.yield(event)
        // Not for us: a newer service may send messages that this client does not know.
        case .refused(nil, _), .violation: break
        }
      }
    }
    for (waiting, result) in answers { waiting.resume(with: result) }
  }

  private func end(_ closed: LinkClosed) {
    let waiting = state.withLock { state -> [CheckedContinuation<Answer, any Error>] in
      guard state.closed == nil else { return [] }
      state.closed = closed
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume(throwing: closed) }
    news.finish()
    outgoing.finish()
  }

  /// The reason why the link ended; nil while it is open.
  package var closed: LinkClosed? { state.withLock { $0.closed } }
}
