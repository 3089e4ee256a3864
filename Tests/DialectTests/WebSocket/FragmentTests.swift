import NIOHTTP1
import Testing

@testable import Client
@testable import Server

/// Clients that write a message in pieces (RFC 6455 section 5.4), as Go's gorilla/websocket does from 4 kB on.
@Suite(.timeLimit(.minutes(5))) struct FragmentTests {
  /// A request of each dialect, and what its answer begins with.
  private static let dialects = [
    (path: "/v1/rooms/Cellar/signal", request: #"{"id":7,"method":"snapshot"}"#, answer: #"{"id":7,"#),
    (
      path: "/room", request: #"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"interval":5000}}"#,
      answer: #""id":7"#
    ),
    (
      path: "/kurento-tree", request: #"{"jsonrpc":"2.0","id":7,"method":"removeTreeSource","params":{"treeId":"t"}}"#,
      answer: #""id":7"#
    ),
  ]

  @Test(arguments: dialects, [1, 7, 4_096])
  func aMessageInFragmentsIsAnsweredLikeAWholeOne(
    dialect: (path: String, request: String, answer: String), length: Int
  ) async throws {
    // As long as an offer of many candidates, where the pieces are large.
    let filled = dialect.request + String(repeating: " ", count: length > 100 ? 60_000 : 0)
    try await TestService.with { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade(dialect.path))
        for piece in RawConnection.fragments(filled, of: length) {
          try await connection.send(piece)
          // Control frames may stand between the fragments of a message (section 5.5).
          try await connection.send(RawConnection.frame(0xA, [1]))
        }
        #expect(await connection.until(dialect.answer).contains(dialect.answer))
      }
    }
  }

  @Test func theLargestMessageMayComeInPiecesOfAKilobyte() async throws {
    let request = #"{"id":7,"method":"snapshot"}"#
    let largest = request + String(repeating: " ", count: ServerLimits().message - request.utf8.count)
    try await TestService.with { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade("/v1/rooms/Cellar/signal"))
        try await connection.send(RawConnection.fragments(largest, of: 1_024).flatMap { $0 })
        #expect(await connection.until(#"{"id":7,"#).contains("not-joined"))
      }
    }
  }
}
