import NIOCore
import NIOPosix

@testable import Client

/// A plain TCP connection, for what no proper client would send.
struct RawConnection {
  let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
  let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

  static func with<Result: Sendable>(port: Int, _ body: (RawConnection) async throws -> Result) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { try await body(RawConnection(inbound: $0, outbound: $1)) }
  }

  func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }
  func send(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

  /// Everything until the other side closes; a reset counts as closing.
  func untilClosed() async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await chunk in inbound { bytes += Array(chunk.readableBytesView) }
    } catch {}
    return bytes
  }

  /// Reads until `text` has come, or the other side closes.
  func until(_ text: String) async -> String {
    var bytes: [UInt8] = []
    do {
      for try await chunk in inbound {
        bytes += Array(chunk.readableBytesView)
        if String(decoding: bytes, as: UTF8.self).contains(text) { break }
      }
    } catch {}
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Opens a WebSocket on `path`, sends `frames`, and tells with which code the service closed (nil: without one).
  static func closingCode(port: Int, path: String, _ frames: [[UInt8]]) async throws -> UInt16? {
    try await with(port: port) { connection in
      try await connection.send(upgrade(path))
      for frame in frames { try? await connection.send(frame) }
      // What has not been read when the service resets the connection is lost.
      let isClosing = { (frames: [ServerFrame]) in frames.contains { $0.opcode == 8 } }
      return await connection.frames(until: isClosing).frames.first { $0.opcode == 8 }?.closingCode
    }
  }

  static func upgrade(_ path: String, _ extra: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(extra)\r\n"
  }

  /// A masked frame of a client (by itself the mask is zero, which is allowed and readable).
  static func frame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isMasked: Bool = true, mask key: [UInt8] = [0, 0, 0, 0]
  ) -> [UInt8] {
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ..<126: bytes.append(mask | UInt8(payload.count))
    case ..<65_536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(mask | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
    }
    guard isMasked else { return bytes + payload }
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
  }

  /// A text message in fragments of `length` bytes, each with a mask of its own.
  static func fragments(_ text: String, of length: Int) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: length).map { start in
      let end = min(bytes.count, start + length)
      let mask = [UInt8(truncatingIfNeeded: start), 0x5A, UInt8(truncatingIfNeeded: start >> 8), 0xC3]
      return frame(start == 0 ? 1 : 0, Array(bytes[start..<end]), isFinal: end == bytes.count, mask: mask)
    }
  }

  static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }
}
