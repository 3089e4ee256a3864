import Music
import NIOHTTP1
import ServiceLifecycle
import Signaling
import TestSupport
import Testing

@testable import Server

/// Kurento Tree as sockjs-client reaches it: by its WebSocket and by plain requests (SockJS 0.3.3).
@Suite(.timeLimit(.minutes(5))) struct SockJSTests {
  private static let base = "/kurento-tree/000/abcdefgh"
  private let streaming = base + "/xhr_streaming"
  private let polling = base + "/xhr"
  private let sending = base + "/xhr_send"
  private let webSocket = base + "/websocket"
  /// For sessions that are asked for now and then, on a machine that does other things too.
  private static func patient(_ configuration: inout ServerConfiguration) {
    configuration.limits.sockJSPatience = 60_000
  }

  private let prelude = String(repeating: "h", count: 2_048) + "\n"

  private func request(_ method: String, id: Int = 7, _ params: JSONObject = ["interval": 60_000]) -> String {
    JSONValue.object([
      "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": .string(method), "params": .object(params),
    ])
    .text
  }

  private func frame(_ messages: String...) -> String { JSONValue.array(messages.map(JSONValue.string)).text }

  private func send(_ service: TestService, _ messages: String..., query: String = "") async throws -> Int {
    let body = JSONValue.array(messages.map(JSONValue.string)).text
    return try await service.send(.POST, sending + query, [("Content-Type", "text/plain")], body: body).status
  }

  private func poll(_ service: TestService, query: String = "") async throws -> String {
    let answer = try await service.send(.POST, polling + query)
    #expect(answer.status == 200 && answer["content-type"] == "application/javascript; charset=UTF-8")
    return answer.text
  }

  @Test func aPageAsksWhatThereIs() async throws {
    try await TestService.with { service async throws in
      let page = ("Origin", "http://localhost:3000")
      let answer = try await service.send(.GET, "/kurento-tree/info?t=1764000000000", [page])
      let info = try answer.json
      #expect(info["websocket"] == true && info["cookie_needed"] == false && info["origins"] == ["*:*"])
      let other = try await service.send(.GET, "/kurento-tree/info").json
      #expect(info["entropy"]?.integer != nil && info["entropy"] != other["entropy"])
      // sockjs-client sends its requests with credentials, so a star would not do.
      #expect(answer["access-control-allow-origin"] == "http://localhost:3000" && answer["vary"] == "Origin")
      #expect(answer["access-control-allow-credentials"] == "true" && answer["cache-control"] == "no-store")
      let preflight = try await service.send(.OPTIONS, streaming, [page, ("Access-Control-Request-Method", "POST")])
      #expect(preflight.status == 204 && preflight["access-control-allow-origin"] == "http://localhost:3000")
      #expect(preflight["access-control-allow-methods"]?.contains("POST") == true)
    }
  }

  @Test func aForeignPageGetsNothingFromAnOpenService() async throws {
    try await TestService.with { service async throws in
      let page = ("Origin", "https://evil.example")
      #expect(try await service.send(.GET, "/kurento-tree/info", [page]).status == 403)
      for path in [streaming, polling, sending] {
        #expect(try await service.send(.POST, path, [page], body: "[]").status == 403, "\(path)")
      }
    }
  }

  // MARK: By WebSocket

  @Test func aWebSocketSpeaksInFrames() async throws {
    try await TestService.with { service async throws in
      let frames = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade(webSocket))
        for text in ["", "[]", frame(request("ping")), JSONValue.string(request("ping", id: 8)).text] {
          try await connection.send(RawConnection.text(text))
        }
        try await connection.send(RawConnection.text(frame(request("ping", id: 9), request("closeSession", id: 10))))
        return await connection.frames().frames
      }
      let texts = frames.filter { $0.opcode == 1 }.map(\.text)
      #expect(texts.first == "o" && texts.count == 6)
      for (text, id) in zip(texts.dropFirst(), 7...10) {
        #expect(text.hasPrefix("a[\"") && text.contains(#"\"id\":\#(id)"#), "\(text)")
      }
      #expect(texts.last?.hasPrefix("c[1000,") == true, "\(texts.last ?? "")")
      #expect(frames.last?.closingCode == 1000)
    }
  }

  @Test(arguments: [#"["a"#, "a", "{}", "[1]", "null"])
  func brokenFramesCloseTheWebSocket(text: String) async throws {
    try await TestService.with {
      $0.limits.closeTimeout = 50
    } _: { service async throws in
      let frames = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade(webSocket))
        try await connection.send(RawConnection.text(text))
        return await connection.frames().frames
      }
      #expect(frames.map(\.opcode) == [1, 1, 8] && frames.last?.closingCode == 1002)
      #expect(frames.dropFirst().first?.text.hasPrefix("c[1002,") == true)
    }
  }

  /// The limit counts messages, not the frames around them; and a frame without any counts as one.
  @Test(arguments: [("[" + [String](repeating: "\"{}\"", count: 50).joined(separator: ",") + "]", 40), ("[]", 2_000)])
  func manyMessagesAreAFloodHoweverTheyCome(text: String, count: Int) async throws {
    try await TestService.with { service async throws in
      let frames = [[UInt8]](repeating: RawConnection.text(text), count: count).flatMap { $0 }
      #expect(try await RawConnection.closingCode(port: service.port, path: webSocket, [frames]) == 1008)
    }
  }

  @Test func aHeartbeatStandsBesideThePing() async throws {
    try await TestService.with {
      $0.limits.pingInterval = 40
      $0.limits.pongTimeout = 200
    } _: { service async throws in
      let frames = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(RawConnection.upgrade(webSocket))
        return await connection.frames { $0.count >= 3 }.frames
      }
      #expect(frames.map(\.text) == ["o", "", "h"] && frames.map(\.opcode) == [1, 9, 1])
    }
  }

  // MARK: By plain requests

  @Test func pollingCarriesASession() async throws {
    try await TestService.with(SockJSTests.patient) { service async throws in
      #expect(try await send(service, request("ping")) == 404, "nobody has begun it")
      #expect(try await poll(service) == "o\n")
      let answer = try await service.send(
        .POST, "/kurento-tree/999/abcdefgh/xhr_send", [("Content-Type", "text/plain")], body: frame(request("ping")))
      #expect(answer.status == 204 && answer["content-type"] == "text/plain; charset=UTF-8")
      let pong = try await poll(service)
      #expect(pong.hasPrefix("a[\"") && pong.contains(#"\"id\":7"#) && pong.hasSuffix("\"]\n"))
      // A whole exchange with a room.
      #expect(try await send(service, request("createTree", id: 8, ["treeId": "gig"])) == 204)
      #expect(try await poll(service).contains(#"\"id\":8"#))
      #expect(try await send(service, request("closeSession", id: 9)) == 204)
      let bye = try await poll(service)
      #expect(bye.contains(#"\"id\":9"#) && bye.contains("\nc[1000,"))
      #expect(try await poll(service).hasPrefix("c[1000,"), "and so it is for everyone who asks")
    }
  }

  @Test func aStreamCarriesASession() async throws {
    try await TestService.with(SockJSTests.patient) { service async throws in
      let stream = try await RawConnection.with(port: service.port) { connection in
        try await connection.send("POST \(streaming) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        async let text = connection.until(#"\"id\":8"#)
        try await eventually("the session is there") { try await send(service, request("ping")) == 204 }
        // A second response cannot have the frames.
        let other = try await service.send(.POST, streaming)
        #expect(other.text == prelude + "c[2010,\"Another connection still open\"]\n")
        #expect(try await poll(service) == "c[2010,\"Another connection still open\"]\n")
        #expect(try await send(service, request("ping", id: 8)) == 204)
        return await text
      }
      #expect(stream.contains("HTTP/1.1 200") && stream.lowercased().contains("transfer-encoding: chunked"))
      let order = [prelude, "o\n", #"\"id\":7"#, #"\"id\":8"#].compactMap { stream.firstRange(of: $0)?.lowerBound }
      #expect(order.count == 4 && order == order.sorted())
    }
  }

  @Test func aBrokenStreamEndsTheSession() async throws {
    try await TestService.with {
      // A client that went without a word is noticed by the next one.
      $0.limits.sockJSHeartbeat = 100
      SockJSTests.patient(&$0)
    } _: { service async throws in
      try await RawConnection.with(port: service.port) { connection in
        try await connection.send("POST \(streaming) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        try await eventually("the session is there") { try await send(service, request("ping")) == 204 }
      }
      // What was on its way may be lost, so the page has to begin anew.
      try await eventually("the service has noticed") {
        try await poll(service) == "c[1002,\"Connection interrupted\"]\n"
      }
      #expect(try await send(service, request("ping")) == 204, "it takes no notice")
    }
  }

  @Test func aSessionThatNobodyAsksForIsForgotten() async throws {
    try await TestService.with {
      $0.limits.sockJSPatience = 50
    } _: { service async throws in
      #expect(try await poll(service) == "o\n")
      try await eventually("it is forgotten") { try await send(service) == 404 }
      #expect(try await poll(service) == "o\n")
    }
  }

  @Test func aQuietResponseHasHeartbeats() async throws {
    try await TestService.with {
      $0.limits.sockJSHeartbeat = 50
      SockJSTests.patient(&$0)
    } _: { service async throws in
      #expect(try await poll(service) == "o\n")
      #expect(try await poll(service) == "h\n")
    }
  }

  @Test func bodiesThatAreNoMessagesAreRefused() async throws {
    try await TestService.with(SockJSTests.patient) { service async throws in
      #expect(try await poll(service) == "o\n")
      for body in ["", "[\"a", "{}", "[1]", "null", "[[]]"] {
        let answer = try await service.send(.POST, sending, body: body)
        #expect(answer.status == 400, "\(body)")
      }
      #expect(try await service.send(.POST, sending, bytes: [0x22, 0xFF, 0x22]).status == 400)
      let long = "[\"\(String(repeating: "a", count: ServerLimits().body))\"]"
      #expect(try await service.send(.POST, sending, body: long).status == 413)
      // The type of the body does not matter, and the session is as it was.
      for type in ["text/plain", "application/json; charset=utf-8", "T", ""] {
        let body = frame(request("ping"))
        #expect(try await service.send(.POST, sending, [("Content-Type", type)], body: body).status == 204, "\(type)")
      }
      #expect(try await poll(service).hasPrefix("a["))
      for path in ["/kurento-tree/0/a.b/xhr", "/kurento-tree/./a/xhr", "/kurento-tree/0/xhr"] {
        #expect(try await service.send(.POST, path).status == 404, "\(path)")
      }
    }
  }

  /// A page whose last request is on its way gathers its candidates meanwhile.
  @Test func manyMessagesMayComeTogether() async throws {
    try await TestService.with(SockJSTests.patient) { service async throws in
      #expect(try await poll(service) == "o\n")
      let messages = [JSONValue](repeating: "{}", count: ServerLimits().messageBurst + 100)
      let body = JSONValue.array(messages).text
      #expect(try await service.send(.POST, sending, body: body).status == 204)
      #expect(!(try await poll(service)).contains("c[1008,"))
    }
  }

  @Test func aFloodEndsTheSession() async throws {
    try await TestService.with(SockJSTests.patient) { service async throws in
      #expect(try await poll(service) == "o\n")
      let messages = [JSONValue](repeating: "{}", count: 90)
      for _ in 0..<20 {
        _ = try await service.send(.POST, sending, body: JSONValue.array(messages).text)
      }
      #expect(try await poll(service).contains("c[1008,"))
    }
  }

  @Test func whoShowsNoTokenInTimeIsSentAway() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      $0.limits.proofTimeout = 200
      SockJSTests.patient(&$0)
    } _: { service async throws in
      #expect(try await poll(service) == "o\n")
      #expect(try await poll(service).hasPrefix("c[1008,"))
    }
  }

  @Test func aTokenInTheAddressOpensTheTree() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
      SockJSTests.patient(&$0)
    } _: { service async throws in
      let query = "?token=\(try await TestService.token("gig", .moderator))"
      #expect(try await poll(service, query: query) == "o\n")
      #expect(try await send(service, request("createTree", ["treeId": "gig"]), query: query) == 204)
      let made = try await poll(service, query: query)
      #expect(made.contains(#"\"result\""#), "\(made)")
      // A token of one room opens no other.
      #expect(try await send(service, request("createTree", id: 8, ["treeId": "other"])) == 204)
      let refused = try await poll(service)
      #expect(refused.contains(#"\"error\""#), "\(refused)")
    }
  }

  @Test func aStreamSaysThatTheServiceStops() async throws {
    try await TestService.with(SockJSTests.patient) { service async throws in
      let stream = try await RawConnection.with(port: service.port) { connection in
        try await connection.send("POST \(streaming) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        async let text = connection.until("c[1001,")
        try await eventually("the session is there") { try await send(service, request("ping")) == 204 }
        await service.group.triggerGracefulShutdown()
        return await text
      }
      #expect(stream.contains("c[1001,\"the service stops\"]\n"))
    }
  }
}
