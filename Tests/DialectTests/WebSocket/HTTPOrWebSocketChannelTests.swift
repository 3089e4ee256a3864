import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import Client
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct HTTPOrWebSocketChannelTests {
  private func answer(_ request: String, port: Int) async throws -> String {
    try await RawConnection.with(port: port) { connection in
      // The service may have cut the connection already.
      try? await connection.send(request)
      return String(decoding: await connection.untilClosed(), as: UTF8.self)
    }
  }

  @Test func aDeclinedUpgradeIsAnsweredAsARequest() async throws {
    try await TestService.with { service async throws in
      let elsewhere = try await answer(RawConnection.upgrade("/nowhere"), port: service.port)
      #expect(elsewhere.hasPrefix("HTTP/1.1 404") && elsewhere.contains("application/problem+json"))
      let health = try await answer(RawConnection.upgrade("/healthz"), port: service.port)
      #expect(health.hasPrefix("HTTP/1.1 200"))
      let h2c = try await answer(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
          + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", port: service.port)
      #expect(h2c.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test(arguments: [
    ("/v1/rooms/Cellar/signal", "protocol.md"), ("/room", "kurento.md"), ("/kurento-tree/websocket", "kurento.md"),
    ("/kurento-tree/000/abcdefgh/websocket", "kurento.md"), ("/0123456789abcdef", "xirsys.md"),
    ("/ws/0123456789abcdef", "xirsys.md"), ("/v2/0123456789abcdef", "xirsys.md"),
  ])
  func anUpgradeOnAKeptConnectionIsToldToOpenAnother(path: String, document: String) async throws {
    try await TestService.with { service async throws in
      let first = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let both = try await answer(first + RawConnection.upgrade(path), port: service.port)
      #expect(both.hasPrefix("HTTP/1.1 200"))
      #expect(both.contains("HTTP/1.1 426 Upgrade Required"), "\(both)")
      #expect(both.contains("as the first request of its connection"))
      #expect(both.contains(document))
      #expect(both.lowercased().contains("connection: close"))
      // Without an upgrade nothing is there that was not there before.
      let plain = "GET \(path)x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let without = try await answer(plain, port: service.port)
      #expect(!without.contains("first request"), "\(without)")
    }
  }

  @Test func aPageOfSomebodyElseGetsNoWebSocket() async throws {
    try await TestService.with { service async throws in
      let path = "/v1/rooms/Cellar/signal"
      let foreign = try await answer(
        RawConnection.upgrade(path, "Origin: https://evil.example\r\n"), port: service.port)
      #expect(foreign.hasPrefix("HTTP/1.1 403") && foreign.contains("urn:jamjar:problem:forbidden"))
      let request = "POST /v1/rooms/Cellar/takes HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n"
      let rebound = try await answer(request + "Content-Length: 0\r\n\r\n", port: service.port)
      #expect(rebound.hasPrefix("HTTP/1.1 403"))
    }
  }

  @Test(arguments: [
    "", "Host: a.example\r\nHost: b.example\r\n", "Host: \r\n", "Host: a/b\r\n", "Host: a@b\r\n", "Host: a b\r\n",
    "Host: a:b\r\n", "Host: a:99999\r\n", "Host: [::1\r\n", "Host: [::1]x\r\n", "Host: ä\r\n", "Host: <a>\r\n",
    "Host: \(String(repeating: "a", count: 300))\r\n",
  ])
  func aRequestHasExactlyOneHost(fields: String) async throws {
    try await TestService.with { service async throws in
      let refused = try await answer("GET /healthz HTTP/1.1\r\n\(fields)\r\n", port: service.port)
      #expect(refused.hasPrefix("HTTP/1.1 400") && refused.contains("application/problem+json"), "\(refused)")
      // The same for an upgrade, and for a second request of a connection.
      let upgrade = RawConnection.upgrade("/v1/rooms/Cellar/signal")
        .replacing("Host: localhost\r\n", with: fields)
      #expect(try await answer(upgrade, port: service.port).hasPrefix("HTTP/1.1 400"))
      let both = try await answer(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\n\(fields)\r\n", port: service.port)
      #expect(both.components(separatedBy: "HTTP/1.1 200").count <= 2, "\(both)")
    }
  }

  @Test(arguments: ["localhost", "a.example:8443", "127.0.0.1:80", "[::1]:8080", "[fe80::1%25eth0]", "studio_1"])
  func ordinaryHostsPass(host: String) throws {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": host])
    #expect(HostGuard.objection(to: head) == nil)
    #expect(HostGuard.objection(to: HTTPRequestHead(version: .http1_0, method: .GET, uri: "/")) == nil)
  }

  @Test func silentAndDrippingClientsAreCut() async throws {
    try await TestService.with {
      $0.limits.handshakeTimeout = 50
    } _: { service async throws in
      #expect(try await answer("", port: service.port) == "")
      #expect(try await answer("GET / HTTP/1.1\r\nHost: loc", port: service.port) == "")
    }
  }

  @Test func aKeptConnectionIsClosedWhenItIsIdle() async throws {
    try await TestService.with {
      $0.limits.idleTimeout = 50
    } _: { service async throws in
      let text = try await answer("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", port: service.port)
      #expect(text.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func headersMayNotBeTooLargeNorTooMany() async throws {
    try await TestService.with { service async throws in
      let large = "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n"
      #expect(try await answer(large, port: service.port).hasPrefix("HTTP/1.1 431"))
      let many = "GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: y\r\n", count: 200) + "\r\n"
      #expect(try await answer(many, port: service.port).hasPrefix("HTTP/1.1 431"))
      #expect(try await answer("NONSENSE\r\n\r\n", port: service.port).hasPrefix("HTTP/1.1 400"))
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }

  @Test func garbageHarmsNobody() async throws {
    try await TestService.with {
      $0.limits.handshakeTimeout = 100
    } _: { service async throws in
      var generator = SeededRandom(9)
      for _ in 0..<30 {
        let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try await RawConnection.with(port: service.port) { connection in
          try? await connection.send(bytes + Array("\r\n\r\n".utf8))
          _ = await connection.untilClosed()
        }
      }
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }

  @Test func aBodyWithoutEndIsCut() async throws {
    try await TestService.with { service async throws in
      let head =
        "POST /v1/rooms/Cellar/takes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n"
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send(head)
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8)
        // The write fails once the service has cut the connection; this ends in any case.
        for _ in 0..<1_000 {
          guard (try? await connection.send(chunk)) != nil else { break }
        }
        _ = await connection.untilClosed()
      }
      #expect(try await service.send(.GET, "/healthz").status == 200)
    }
  }
}
