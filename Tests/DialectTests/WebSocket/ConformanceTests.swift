import NIOHTTP1
import Testing

@testable import Server

/// Conformance to RFC 6455 on every path: raw bytes over TCP to the running service (`ConformanceCase`).
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
  /// A path of WebSockets, with a request that is answered at once.
  struct Door: Sendable, CustomTestStringConvertible {
    var path: String
    var request: String
    /// Part of the answer's text.
    var answer = #""id":7"#

    var testDescription: String { path }
  }

  private static let rpc = #"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"interval":60000}}"#

  static let doors = [
    Door(path: "/v1/rooms/Cellar/signal", request: #"{"id":7,"method":"ping"}"#),
    Door(path: "/room", request: rpc), Door(path: "/kurento-tree", request: rpc),
    Door(path: "/kurento-tree/websocket", request: rpc),
    Door(
      path: "/kurento-tree/000/abcdefgh/websocket", request: "[\"\(rpc.replacing("\"", with: "\\\""))\"]",
      answer: #"\"id\":7"#),
  ]

  /// Connections at a time.
  private static let width = 16

  @Test(arguments: doors)
  func everyFrameIsTreatedAsTheSpecificationSays(door: Door) async throws {
    let cases = ConformanceCase.all(Array(door.request.utf8))
    #expect(cases.count > 200)
    try await TestService.with {
      // A client that still sends to a service that has closed loses what it has not read yet (TCP resets), so it gets time.
      $0.limits.closeTimeout = 500
    } _: { service async throws in
      let port = service.port
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, example) in cases.enumerated() {
          if index >= ConformanceTests.width { try await group.next() }
          group.addTask { try await ConformanceTests.check(example, door, port) }
        }
        try await group.waitForAll()
      }
      // Whatever happened, the service is there for others.
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }

  private static func check(_ example: ConformanceCase, _ door: Door, _ port: Int) async throws {
    let frames = try await RawConnection.with(port: port) { connection in
      try await connection.send(RawConnection.upgrade(door.path))
      // The service may have closed before the last piece.
      for piece in example.pieces { try? await connection.send(piece) }
      return await connection.frames().frames
    }
    // Every frame of the service is whole, without a mask and without an extension that nobody negotiated.
    #expect(frames.allSatisfy { $0.isFinal && !$0.isMasked && $0.reserved == 0 }, "\(example)")
    let closes = frames.filter { $0.opcode == 8 }
    #expect(closes.map(\.closingCode) == [example.code], "\(example)")
    #expect(frames.last?.opcode == 8, "\(example): something follows the close")
    #expect(closes.allSatisfy { String(validating: $0.payload.dropFirst(2), as: UTF8.self) != nil })
    #expect(frames.contains { $0.opcode == 1 && $0.text.contains(door.answer) } == example.isAnswered, "\(example)")
    #expect(frames.filter { $0.opcode == 0xA }.map(\.payload) == example.pongs, "\(example)")
  }
}
