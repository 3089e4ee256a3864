import Machines
import NIOCore
import NIOPosix
import Recording
import Rooms
import Signaling
import Synchronization

@testable import Client
@testable import Server

/// An RTMP client for tests: our own machine over a real connection.
final class RTMPTestClient: Sendable {
  private enum Step: Sendable {
    case input(RTMPClient.Input)
    case lost
  }

  private let queue: AsyncStream<Step>.Continuation
  private let outputs: AsyncStream<RTMPClient.Output>
  private let unread = Mutex<[RTMPClient.Output]>([])
  private let nextLabel = Atomic<Int>(0)

  private init(_ queue: AsyncStream<Step>.Continuation, _ outputs: AsyncStream<RTMPClient.Output>) {
    self.queue = queue
    self.outputs = outputs
  }

  /// Connects to the service's RTMP port and says `connect` by itself.
  static func with<Result: Sendable>(
    port: Int?, _ options: RTMPClientOptions, _ body: (RTMPTestClient) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port ?? 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      let (steps, queue) = AsyncStream.makeStream(of: Step.self)
      let (outputs, sink) = AsyncStream.makeStream(of: RTMPClient.Output.self)
      let client = RTMPTestClient(queue, outputs)
      // The machine begins to speak at its first input.
      queue.yield(.input(.bytes([])))
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            for try await chunk in inbound { queue.yield(.input(.bytes(Array(chunk.readableBytesView)))) }
          } catch {}
          queue.yield(.lost)
        }
        group.addTask {
          var machine = RTMPClient(options, seed: 1, at: MonotonicClock.now)
          for await step in steps {
            switch step {
            case .input(let input): machine.handle(input, at: MonotonicClock.now)
            case .lost: machine.handle(.lost, at: MonotonicClock.now)
            }
            while let output = machine.next() {
              if case .send(let bytes) = output {
                try? await outbound.write(ByteBuffer(bytes: bytes))
              } else {
                sink.yield(output)
              }
            }
            if case .lost = step { sink.finish() }
          }
        }
        let result = try await body(client)
        group.cancelAll()
        return result
      }
    }
  }

  func send(_ input: RTMPClient.Input) { queue.yield(.input(input)) }

  /// The next output that `read` takes, passing over others, which stay to be read.
  func next<Value>(_ read: (RTMPClient.Output) -> Value?) async throws -> Value {
    let known = unread.withLock { unread -> Value? in
      for (index, output) in unread.enumerated() {
        guard let value = read(output) else { continue }
        unread.remove(at: index)
        return value
      }
      return nil
    }
    if let known { return known }
    for await output in outputs {
      if let value = read(output) { return value }
      unread.withLock { $0.append(output) }
    }
    throw LinkClosed(code: 1006, reason: "the connection ended: \(unread.withLock { $0 })")
  }

  func connected() async throws {
    _ = try await next { if case .connected = $0 { true } else { nil } }
  }

  /// Calls a method and waits for its answer.
  /// - Throws: `RTMPCallError` where it is an error.
  func call(_ name: String, _ arguments: AMFValue...) async throws -> RTMPAnswer {
    let label = nextLabel.add(1, ordering: .relaxed).newValue
    send(.call(label: label, name, arguments))
    return try await next { output -> Result<RTMPAnswer, RTMPCallError>? in
      switch output {
      case .answered(label, let answer): .success(answer)
      case .failed(label, let error): .failure(error)
      default: nil
      }
    }.get()
  }

  /// The arguments of the next call of that name that the service makes.
  func called(_ name: String) async throws -> [AMFValue] {
    try await next { if case .called(name, let arguments) = $0 { arguments } else { nil } }
  }

  /// The next message about that object.
  func message(_ name: String) async throws -> RTMPObjectMessage {
    try await next { if case .sharedObject(let message) = $0, message.name == name { message } else { nil } }
  }

  /// The events of the next message about that object.
  func object(_ name: String) async throws -> [RTMPObjectEvent] {
    try await message(name).events
  }
}
