import NIOCore

@testable import Client

/// Reads a connection bit by bit, for streams that never end by themselves.
struct StreamReading {
  private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let connection: RawConnection
  private var buffer: [UInt8] = []

  /// Sends a request and is ready to read its answer.
  init(_ connection: RawConnection, _ request: String) async throws {
    self.connection = connection
    iterator = connection.inbound.makeAsyncIterator()
    try await connection.send(request)
  }

  /// Everything up to and with the next `text`, or up to the end where it does not come.
  mutating func until(_ text: String) async -> String {
    let wanted = Array(text.utf8)
    while true {
      if let range = buffer.firstRange(of: wanted) {
        let found = buffer[..<range.upperBound]
        buffer = Array(buffer[range.upperBound...])
        return String(decoding: found, as: UTF8.self)
      }
      guard let chunk = try? await iterator.next() else { return untilNow() }
      buffer += Array(chunk.readableBytesView)
    }
  }

  /// Everything until the other side closes.
  mutating func untilClosed() async -> String {
    while let chunk = try? await iterator.next() { buffer += Array(chunk.readableBytesView) }
    return untilNow()
  }

  private mutating func untilNow() -> String {
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }
}
