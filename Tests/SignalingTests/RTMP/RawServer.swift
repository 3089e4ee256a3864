import Machines

@testable import Signaling

/// The server's machine behind a handshake, fed with messages that a well-behaved client would not send.
struct RawServer: ~Copyable {
  var server: RTMPServer
  var now = RTMPLink.start
  private var writer = ChunkWriter()
  private var reader = ChunkReader(limits: .client)
  /// The messages of the server, since they were taken last.
  private var messages: [RTMPMessage] = []

  init(limits: RTMPLimits = RTMPLimits()) {
    server = RTMPServer(seed: 4, limits: limits, at: RTMPLink.start)
    server.handle(.bytes([3] + [UInt8](repeating: 0, count: 1536)), at: now)
    while server.next() != nil {}
    server.handle(.bytes([UInt8](repeating: 0, count: 1536)), at: now)
  }

  /// A server that accepted its client.
  static func connected(limits: RTMPLimits = RTMPLimits()) -> RawServer {
    var server = RawServer(limits: limits)
    _ = server.send(RTMPCommand("connect", transaction: 1, object: [:]).message())
    _ = server.tell(.accept(properties: []))
    _ = server.replies()
    return server
  }

  mutating func send(_ message: RTMPMessage, on channel: UInt8 = 3) -> [RTMPServer.Output] {
    var bytes: [UInt8] = []
    writer.write(message, on: channel, into: &bytes)
    if case .chunkSize(let size)? = try? RTMPControl(message) { writer.chunkSize = max(1, Int(size)) }
    return feed(bytes)
  }

  mutating func feed(_ bytes: [UInt8]) -> [RTMPServer.Output] {
    tell(.bytes(bytes))
  }

  mutating func tell(_ input: RTMPServer.Input) -> [RTMPServer.Output] {
    server.handle(input, at: now)
    return drain()
  }

  /// Lets time pass to `now + span`, in one step.
  mutating func wait(_ span: MonotonicTime.Span) -> [RTMPServer.Output] {
    now = now + span
    server.advance(to: now)
    return drain()
  }

  private mutating func drain() -> [RTMPServer.Output] {
    var outputs: [RTMPServer.Output] = []
    while let output = server.next() {
      if case .send(let bytes) = output { reader.append(bytes) } else { outputs.append(output) }
    }
    while let message = try? reader.next() { messages.append(message) }
    return outputs
  }

  mutating func replies() -> [RTMPMessage] {
    defer { messages = [] }
    return messages
  }

  /// The commands among the replies.
  mutating func commands() -> [RTMPCommand] {
    replies().compactMap { try? RTMPCommand($0) }.filter { !$0.name.isEmpty }
  }
}
