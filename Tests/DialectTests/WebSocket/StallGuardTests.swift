import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1))) struct StallGuardTests {
  @Test func aClientThatDoesNotReadItsResponsesIsCutOff() async throws {
    let log = LogCollector()
    try await TestService.with({ $0.limits.streamStall = 300 }, logger: log.logger()) { service async throws in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.autoRead, value: false)
        .channelOption(.socketOption(.so_rcvbuf), value: 65_536)
        .connect(host: "127.0.0.1", port: service.port).get()
      // Far more than all the buffers on the way hold.
      let requests = String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 40)
      try await channel.writeAndFlush(ByteBuffer(string: requests))
      await log.wait(for: "a connection was cut off because its client does not read")
      try await channel.close()
      // Nobody else has noticed.
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }
}
