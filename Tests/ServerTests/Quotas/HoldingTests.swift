import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// What strangers can hold of a service with keys, and for how long. A connection that is not ended by the service would
/// keep these tests waiting until their time limit.
@Suite(.timeLimit(.minutes(2))) struct HoldingTests {
  private func withKeys(
    _ adjust: (inout ServerConfiguration) -> Void = { _ in }, _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      {
        $0.rtmp = .init(0)
        $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        ($0.limits.bodyTimeout, $0.limits.proofTimeout, $0.limits.closeTimeout) = (200, 200, 50)
        // Not these end the connections.
        ($0.limits.idleTimeout, $0.limits.pingInterval) = (3_600_000, 3_600_000)
        adjust(&$0)
      }, body)
  }

  private func drip(_ path: String, _ fields: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(fields)Content-Length: 1000\r\n\r\n{"
  }

  @Test(arguments: ["/room", "/kurento-tree"]) func aBodyThatNeverEndsIsGivenUp(path: String) async throws {
    try await withKeys { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(drip(path))
        _ = await connection.untilClosed()
      }
    }
  }

  @Test(arguments: ["/v1/rooms/den/takes", "/whip/den?name=Eve", "/v1/songs"])
  func aStrangerIsRefusedBeforeTheBody(path: String) async throws {
    try await withKeys {
      $0.limits.bodyTimeout = 3_600_000
    } _: { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(drip(path))
        let answer = String(decoding: await connection.untilClosed(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 401"), "\(answer)")
      }
    }
  }

  @Test func aBodyWithoutProgressIsGivenUpEvenWithAKey() async throws {
    try await withKeys { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(drip("/v1/songs", "Authorization: Bearer \(TestService.key)\r\n"))
        _ = await connection.untilClosed()
      }
    }
  }

  @Test(arguments: ["/v1/rooms/den/signal", "/room", "/kurento-tree", "/room?token=x", "/kurento-tree?token=x"])
  func aLinkWithoutATokenIsClosed(path: String) async throws {
    try await withKeys { service async throws in
      #expect(try await RawConnection.closingCode(port: service.port, path: path, []) == 1008)
    }
  }

  @Test func aLinkWithATokenStays() async throws {
    try await withKeys { service async throws in
      let den = try RoomName(checking: "den")
      try await NativeConnection.with(service.endpoint, room: den) { link in
        let join = JoinRequest(name: try DisplayName(checking: "Ada"))
        _ = try await link.join(join, token: try await TestService.token("den"))
        // Another link's time begins later and ends before anything happens to this one.
        #expect(try await RawConnection.closingCode(port: service.port, path: "/room", []) == 1008)
        #expect(try await link.ping().roundTrip.nanoseconds > 0)
      }
    }
  }

  @Test func anOpenServiceAsksForNoToken() async throws {
    try await TestService.with {
      ($0.limits.proofTimeout, $0.limits.pingInterval, $0.limits.pongTimeout) = (50, 400, 400)
    } _: { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade("/room"))
        // It was asked whether it is still there, long after its time for a token would have been over.
        #expect(await connection.untilClosed().suffix(2) == [0x89, 0x00])
      }
    }
  }

  @Test func anRTMPClientWithoutATokenIsClosed() async throws {
    try await withKeys { service async throws in
      try await RawConnection.with(port: try #require(service.rtmpPort)) { connection in
        try await connection.send([3])
        _ = await connection.untilClosed()
      }
    }
  }

  @Test func strangersDoNotKeepAnybodyOut() async throws {
    try await withKeys {
      $0.limits.connections = 8
      ($0.limits.bodyTimeout, $0.limits.proofTimeout) = (3_600_000, 3_600_000)
    } _: { service async throws in
      var strangers: [any Channel] = []
      for number in 0..<40 {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .connect(host: "127.0.0.1", port: service.port).get()
        let text = number.isMultiple(of: 2) ? drip("/room") : RawConnection.upgrade("/room")
        try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
        strangers.append(channel)
      }
      let key = ("Authorization", "Bearer \(TestService.key)")
      #expect(try await service.send(.GET, "/v1/rooms", [key]).status == 200)
      let den = try RoomName(checking: "den")
      try await NativeConnection.with(service.endpoint, room: den) { link in
        let join = JoinRequest(name: try DisplayName(checking: "Ada"))
        _ = try await link.join(join, token: try await TestService.token("den"))
        for _ in 0..<12 {
          let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: service.port).get()
          try? await channel.writeAndFlush(ByteBuffer(string: drip("/room"))).get()
          strangers.append(channel)
        }
        // The musician's place is not given away.
        #expect(try await link.ping().roundTrip.nanoseconds > 0)
      }
      for channel in strangers { try? await channel.close().get() }
    }
  }

  /// A service with few places, where only strangers lose theirs.
  private func withFewPlaces(_ body: (TestService) async throws -> Void) async throws {
    try await withKeys(
      {
        $0.limits.connections = 8
        ($0.limits.bodyTimeout, $0.limits.proofTimeout) = (3_600_000, 3_600_000)
      }, body)
  }

  /// Connects strangers until the first of them has lost its place, and with it all that came before and proved nothing.
  private func crowdOutStrangers(_ service: TestService) async throws {
    var strangers: [any Channel] = []
    for _ in 0..<12 {
      strangers.append(
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .connect(host: "127.0.0.1", port: service.port).get())
    }
    try await strangers.first?.closeFuture.get()
    for channel in strangers { try? await channel.close().get() }
  }

  @Test func aTokenProvesTheLinkThatTheSessionHasMovedTo() async throws {
    try await withFewPlaces { service async throws in
      try await RPCConnection.with(service) { former in
        let session = try #require(try await former.result("ping")["sessionId"])
        try await RPCConnection.with(service) { ann in
          #expect(try await ann.result("connect", ["sessionId": session])["sessionId"] == session)
          let token = JSONValue.string(try await TestService.token("den"))
          _ = try await ann.result("joinRoom", ["user": "ann", "room": "den", "token": token])
          try await crowdOutStrangers(service)
          #expect(try await ann.result("ping")["value"] == "pong")
        }
      }
    }
  }

  @Test(arguments: ["/room", "/kurento-tree"]) func aTokenInTheAddressCountsBeforeTheJoin(path: String) async throws {
    try await withFewPlaces { service async throws in
      let token = try await TestService.token("den")
      try await RPCConnection.with(service, path: "\(path)?token=\(token)") { ann in
        // Any answer: the service has seen the link.
        _ = try await ann.call("ping")
        try await crowdOutStrangers(service)
        _ = try await ann.call("ping")
      }
    }
  }

  /// A client of RTMP that connects, and from then on reads nothing.
  @Test func anRTMPClientThatDoesNotReadItsAnswersIsNotReadEither() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
      $0.limits.streamStall = 500
    } _: { service async throws in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        // Little, so that the answers soon find no place.
        .channelOption(.socketOption(.so_rcvbuf), value: 65_536)
        .connect(host: "127.0.0.1", port: try #require(service.rtmpPort)) { channel in
          channel.eventLoop.makeCompletedFuture {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      let sent = try await channel.executeThenClose { inbound, outbound in
        var machine = RTMPClient(RTMPClientOptions(app: "studio"), seed: 1, at: MonotonicClock.now)
        var chunks = inbound.makeAsyncIterator()
        var isConnected = false
        machine.handle(.bytes([]), at: MonotonicClock.now)
        while !isConnected {
          while let output = machine.next() {
            if case .send(let bytes) = output { try await outbound.write(ByteBuffer(bytes: bytes)) }
            if case .connected = output { isConnected = true }
          }
          guard !isConnected, let chunk = try await chunks.next() else { break }
          machine.handle(.bytes(Array(chunk.readableBytesView)), at: MonotonicClock.now)
        }
        #expect(isConnected)
        let long = AMFValue.string(String(repeating: "a", count: 250_000))
        var sent = 0
        do {
          // As many as the rate of commands lets pass: 50 MB.
          for label in 0..<200 {
            machine.handle(.call(label: label, "echo", [long]), at: MonotonicClock.now)
            while let output = machine.next() {
              guard case .send(let bytes) = output else { continue }
              try await outbound.write(ByteBuffer(bytes: bytes))
              sent += bytes.count
            }
          }
          // Nothing more to send: the service ends it.
          try await channel.channel.closeFuture.get()
        } catch {}
        return sent
      }
      // What the sockets on both sides hold, and a little more.
      #expect(sent < 40 << 20, "\(sent)")
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }
}
