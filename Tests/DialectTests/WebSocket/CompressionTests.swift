import Rooms
import Signaling
import Testing

@testable import Server

/// permessage-deflate (RFC 7692) on a running service, after the groups 12 and 13 of the Autobahn test suite.
@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
  private let path = "/v1/rooms/Cellar/signal"
  private let request = #"{"id":7,"method":"ping"}"#
  /// Makes the answer to a join long enough for compression.
  private let ice = [ICEServer(urls: (0..<80).map { "stun:stun\($0).example.org:3478" })]
  private let join = #"{"id":7,"method":"join","params":{"name":"Ada"}}"#

  private func offer(_ parameters: String = "; client_max_window_bits") -> String {
    RawConnection.upgrade(path, "Sec-WebSocket-Extensions: permessage-deflate\(parameters)\r\n")
  }

  /// What the service sends to a client with these frames, until it is enough or the link is closed.
  private func conversation(
    _ upgrade: String, _ frames: [[UInt8]], ice: [ICEServer] = [],
    until isEnough: ([ServerFrame]) -> Bool = { _ in false }
  ) async throws -> (head: String, frames: [ServerFrame]) {
    var heard: (head: String, frames: [ServerFrame]) = ("", [])
    try await TestService.with({ $0.limits.closeTimeout = 50 }, ice: ice) { service async throws in
      heard = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(upgrade)
        for frame in frames { try? await connection.send(frame) }
        return await connection.frames(until: isEnough)
      }
    }
    return heard
  }

  /// True once the join is answered. A close at once would not wait for that.
  private func isJoined(_ frames: [ServerFrame]) -> Bool {
    frames.contains { $0.opcode == 1 && ($0.reserved != 0 || $0.text.contains("stun79")) }
  }

  private let close = RawConnection.frame(8, [0x03, 0xE8])

  /// A text in stored blocks, which need no encoder: at most 65,535 bytes.
  private func stored(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    let length = UInt16(bytes.count)
    let (low, high) = (UInt8(length & 0xFF), UInt8(length >> 8))
    return [0x00, low, high, ~low, ~high] + bytes + [0x00]
  }

  /// RSV1 in the first byte of a frame.
  private func compressed(_ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    RawConnection.frame(0x41, payload, isFinal: isFinal, mask: [1, 2, 3, 4])
  }

  @Test func aBrowsersOfferIsAccepted() async throws {
    let (head, frames) = try await conversation(offer(), [compressed(stored(request)), close])
    #expect(head.contains("101 Switching Protocols"))
    #expect(
      head.lowercased().contains(
        "sec-websocket-extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover"))
    // A short answer is not worth the effort.
    let answer = try #require(frames.first)
    #expect(answer.opcode == 1 && answer.reserved == 0 && answer.text.contains("serverTime"))
    #expect(frames.last?.closingCode == 1000)
  }

  @Test(arguments: ["", "; client_max_window_bits", "; server_max_window_bits=9", "; server_no_context_takeover"])
  func aLongAnswerIsCompressed(parameters: String) async throws {
    let (head, frames) = try await conversation(
      offer(parameters), [RawConnection.text(join)], ice: ice, until: isJoined)
    #expect(head.contains("server_max_window_bits=9") == parameters.contains("server_max_window_bits"))
    let answer = try #require(frames.first(where: { $0.reserved != 0 }))
    #expect(answer.opcode == 1 && answer.reserved == 4 && answer.isFinal)
    let text = String(decoding: try Deflate.inflate(answer.payload, 1 << 20), as: UTF8.self)
    #expect(text.contains("stun79.example.org") && answer.payload.count < text.utf8.count / 2)
  }

  @Test func nothingIsCompressedForAClientThatDidNotOfferIt() async throws {
    for upgrade in [RawConnection.upgrade(path), offer("; unknown"), offer("; server_max_window_bits=8")] {
      let (head, frames) = try await conversation(upgrade, [RawConnection.text(join)], ice: ice, until: isJoined)
      #expect(head.contains("101") && !head.lowercased().contains("extensions"))
      #expect(frames.allSatisfy { $0.reserved == 0 })
      #expect(frames.contains { $0.text.contains("stun79.example.org") })
    }
  }

  @Test func compressedMessagesComeInFragmentsAndBesideOthers() async throws {
    let payload = stored(request)
    let pieces = [
      compressed(Array(payload[..<10]), isFinal: false), RawConnection.frame(9, [1]),
      RawConnection.frame(0, Array(payload[10..<20]), isFinal: false), RawConnection.frame(0, Array(payload[20...])),
    ]
    let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
    let (_, frames) = try await conversation(
      offer(), pieces + [RawConnection.text(request), compressed(final), compressed([0x00])] + pieces + [close])
    #expect(frames.count { $0.text.contains("serverTime") } == 3)
    #expect(frames.filter { $0.opcode == 0xA }.map(\.payload) == [[1], [1]])
    #expect(frames.last?.closingCode == 1000)
  }

  @Test func everyMessageBeginsWithAnEmptyWindow() async throws {
    let text = request + String(repeating: " ", count: 2_000)
    let payload = try #require(Deflate.deflate(Array(text.utf8), windowBits: 15))
    let frames = try await conversation(offer(), (0..<20).map { _ in compressed(payload) } + [close]).frames
    #expect(frames.count { $0.text.contains("serverTime") } == 20)
  }

  @Test(
    arguments: [
      // RSV1 on what is not the beginning of a message, and the other bits.
      ([[0xC9, 0x80, 0, 0, 0, 0]], 1002), ([[0xC8, 0x80, 0, 0, 0, 0]], 1002), ([[0xCA, 0x80, 0, 0, 0, 0]], 1002),
      ([[0x41, 0x81, 0, 0, 0, 0, 0x20], [0xC0, 0x80, 0, 0, 0, 0]], 1002), ([[0xA1, 0x80, 0, 0, 0, 0]], 1002),
      ([[0x91, 0x80, 0, 0, 0, 0]], 1002), ([[0xE1, 0x80, 0, 0, 0, 0]], 1002),
      // No stream, and one that is not UTF-8.
      ([[0xC1, 0x82, 0, 0, 0, 0, 0xFF, 0xFF]], 1007), ([[0xC1, 0x80, 0, 0, 0, 0]], 1007),
      ([[0xC1, 0x87, 0, 0, 0, 0, 0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00]], 1007),
    ] as [([[UInt8]], UInt16)])
  func brokenMessagesCloseTheLink(frames: [[UInt8]], code: UInt16) async throws {
    let answer = try await conversation(offer(), frames)
    #expect(answer.frames.map(\.closingCode) == [code])
  }

  @Test func aBombIsClosedAsTooLarge() async throws {
    let bomb = try #require(Deflate.deflate([UInt8](repeating: 0x20, count: 16 << 20), windowBits: 15))
    #expect(bomb.count < ServerLimits().message)
    let (_, frames) = try await conversation(offer(), [compressed(bomb), compressed(stored(request))])
    #expect(frames.map(\.closingCode) == [1009])
    let half = bomb.count / 2
    let pieces = [compressed(Array(bomb[..<half]), isFinal: false), RawConnection.frame(0, Array(bomb[half...]))]
    #expect(try await conversation(offer(), pieces).frames.map(\.closingCode) == [1009])
  }

  @Test func theLargestMessageMayBeCompressed() async throws {
    let limit = ServerLimits().message
    for (length, code) in [(limit, UInt16(1000)), (limit + 1, 1009)] {
      let text = request + String(repeating: " ", count: length - request.utf8.count)
      let payload = try #require(Deflate.deflate(Array(text.utf8), windowBits: 15))
      let frames = try await conversation(offer(), [compressed(payload), close]).frames
      #expect(frames.last?.closingCode == code)
      #expect(frames.contains { $0.text.contains("serverTime") } == (code == 1000))
    }
  }
}
