import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A plain web server on loopback with streams, as ffmpeg makes them.
final class StreamServer: Sendable {
  enum Answer: Sendable {
    /// A status line's end ("404 Not Found"), header fields, and the body, after which the connection is closed.
    case whole(String, fields: [String] = [], [UInt8])
    /// A body that goes on after its bytes, without sound, until the client leaves.
    case endless([UInt8])
    /// The connection is closed without a word.
    case nothing
  }

  /// The heads of all requests so far.
  let requests = Mutex<[String]>([])
  let port: Int

  private init(port: Int) { self.port = port }

  /// - Parameter answer: to a path with its query.
  static func with(
    _ answer: @escaping @Sendable (String) -> Answer, _ body: @escaping @Sendable (StreamServer) async throws -> Void
  ) async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let here = StreamServer(port: server.channel.localAddress?.port ?? 0)
    try await server.executeThenClose { clients in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await withThrowingDiscardingTaskGroup { connections in
            for try await client in clients {
              // A client may leave whenever it likes.
              connections.addTask { try? await here.serve(client, answer) }
            }
          }
        }
        group.addTask { try await body(here) }
        // The clients come until the body ends.
        defer { group.cancelAll() }
        try await group.next()
      }
    }
  }

  private func serve(
    _ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ answer: @Sendable (String) -> Answer
  ) async throws {
    try await client.executeThenClose { inbound, outbound in
      var head = ""
      for try await chunk in inbound {
        head += String(buffer: chunk)
        if head.contains("\r\n\r\n") { break }
      }
      let words = head.prefix { !$0.isNewline }.split(separator: " ")
      guard words.count == 3 else { return }
      let request = head
      requests.withLock { $0.append(request) }
      switch answer(String(words[1])) {
      case .whole(let status, let fields, let bytes):
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(bytes.count)", "Connection: close"] + fields
        try await outbound.write(ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n"))
        try await outbound.write(ByteBuffer(bytes: bytes))
      case .endless(let bytes):
        try await outbound.write(ByteBuffer(string: "HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n"))
        try await outbound.write(ByteBuffer(bytes: bytes))
        try await Task.sleep(for: .seconds(600))
      case .nothing: break
      }
    }
  }
}

/// Files that ffmpeg makes.
enum StreamFiles {
  /// A tone of `seconds`, coded by `arguments`; the name of a file makes its format.
  static func make(_ seconds: Int, _ arguments: [String], in folder: String, _ name: String) throws {
    try SpawnedProgram.run(
      "/usr/bin/ffmpeg",
      ["-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=700:duration=\(seconds)"]
        + arguments + ["\(folder)/\(name)"])
  }

  static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}
