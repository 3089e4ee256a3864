import Music
import NIOHTTP1
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct LinkLimitTests {
  private let path = "/v1/rooms/Cellar/signal"
  private let snapshot = RawConnection.text(#"{"id":1,"method":"snapshot"}"#)

  /// The codes with which the service closes links that sent these frames.
  private func codes(_ links: [[UInt8]]...) async throws -> [UInt16?] {
    var codes: [UInt16?] = []
    try await TestService.with { service async throws in
      for frames in links {
        codes.append(try await RawConnection.closingCode(port: service.port, path: path, frames))
      }
      // Whatever happened, the service is there for others.
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
    return codes
  }

  @Test func aFloodIsClosedAsPolicy() async throws {
    #expect(try await codes([Array(repeating: snapshot, count: 400).flatMap { $0 }]) == [1008])
  }

  @Test func aTooLongMessageIsClosedAsTooLarge() async throws {
    let long = [UInt8](repeating: UInt8(ascii: " "), count: 262_145)
    let half = [UInt8](repeating: UInt8(ascii: " "), count: 140_000)
    let codes = try await codes(
      [RawConnection.frame(1, long)],
      [RawConnection.frame(1, half, isFinal: false), RawConnection.frame(0, half)])
    #expect(codes == [1009, 1009])
  }

  @Test func aMessageInTooManyPiecesIsClosed() async throws {
    let pieces =
      [RawConnection.frame(1, [0x20], isFinal: false)]
      + Array(repeating: RawConnection.frame(0, [0x20], isFinal: false), count: 256)
    #expect(try await codes([pieces.flatMap { $0 }]) == [1009])
  }

  @Test func brokenFramesAreClosedAsProtocolErrors() async throws {
    let codes = try await codes(
      [RawConnection.frame(1, Array("{}".utf8), isMasked: false)], [RawConnection.frame(0, [0x20])],
      [RawConnection.frame(1, [0xFF, 0xFE])], [RawConnection.frame(0xB, [])], [RawConnection.frame(8, [0x03])],
      [RawConnection.frame(0x41, Array("{}".utf8))], [RawConnection.frame(0x21, Array("{}".utf8))],
      [RawConnection.frame(0x11, Array("{}".utf8))], [RawConnection.frame(0x49, [])],
      [
        RawConnection.frame(1, Array("{".utf8), isFinal: false),
        RawConnection.frame(0, Array("}".utf8), isMasked: false),
      ])
    #expect(codes == [1002, 1002, 1007, 1002, 1002, 1002, 1002, 1002, 1002, 1002])
  }

  @Test func aCloseIsAnsweredWithItsCode() async throws {
    #expect(try await codes([RawConnection.frame(8, [0x0F, 0xA0])], [RawConnection.frame(8, [])]) == [4000, 1000])
  }

  @Test func wrongMessagesAreAnsweredAndTheLinkIsKept() async throws {
    try await TestService.with { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade(path))
        for text in ["nonsense", "[]", "{}", #"{"id":1,"method":"dance"}"#, String(repeating: "[", count: 5_000)] {
          try await connection.send(RawConnection.text(text))
        }
        try await connection.send(RawConnection.frame(2, [1, 2, 3]))
        try await connection.send(RawConnection.text(#"{"id":9,"method":"ping"}"#))
        try await connection.send(RawConnection.frame(8, [0x03, 0xE8]))
        let text = String(decoding: await connection.untilClosed(), as: UTF8.self)
        #expect(text.contains("unknown-method") && text.contains("serverTime"))
      }
    }
  }

  @Test func randomBytesHarmNobody() async throws {
    try await TestService.with {
      $0.limits.closeTimeout = 20
    } _: { service async throws in
      var generator = SeededRandom(5)
      for _ in 0..<20 {
        let garbage = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = try await RawConnection.closingCode(
          port: service.port, path: path, [garbage, RawConnection.frame(8, [0x03, 0xE8])])
      }
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }

  @Test func aSilentClientIsCut() async throws {
    try await TestService.with {
      $0.limits.pingInterval = 40
      $0.limits.pongTimeout = 200
    } _: { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade(path))
        let bytes = await connection.untilClosed()
        // It was asked first.
        #expect(bytes.suffix(2) == [0x89, 0x00])
      }
    }
  }
}
