import Glibc
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Audio Connectors, with a real WebSocket server.
@Suite(.timeLimit(.minutes(5))) struct OpenTokConnectorDeliveryTests {
  private static let base = "/v2/project/46000001/connect"
  /// A proof holds for three minutes.
  private static var headers: [(String, String)] { [OpenTokRESTTests.proof(), OpenTokRESTTests.json] }

  private static func withService(
    allowsPrivate: Bool = true, resolver: WebhookResolver = .system, _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      { configuration throws in
        configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
        configuration.webhooks = WebhookConfiguration(endpoints: [], allowsPrivate: allowsPrivate)
        configuration.doors[OpenTokConfiguration.self].projects = try OpenTokProjects(
          parsing: "46000001:\(OpenTokRESTTests.secret):Band,46000002:\(OpenTokRESTTests.otherSecret)", callbacks: nil)
      }, resolver: resolver, body)
  }

  private static func token(
    _ session: String, role: String = "subscriber", key: String = "46000001", secret: String = OpenTokRESTTests.secret,
    data: String = "name=scribe"
  ) -> JSONValue {
    let now = MonotonicClock.wall.seconds
    let claims: JSONObject = [
      "iss": .string(key), "ist": "project", "scope": "session.connect", "iat": .integer(now),
      "exp": .integer(now + 600), "nonce": 7, "session_id": .string(session), "role": .string(role),
      "connection_data": .string(data),
    ]
    return .string(JSONWebToken.sign(claims, key: Array(secret.utf8)))
  }

  private func start(
    _ service: TestService, _ session: String, _ options: JSONObject, token: JSONValue? = nil
  ) async throws -> TestService.Answer {
    let token = token ?? OpenTokConnectorDeliveryTests.token(session)
    let body: JSONValue = ["sessionId": .string(session), "token": token, "websocket": .object(options)]
    let (base, headers) = (OpenTokConnectorDeliveryTests.base, OpenTokConnectorDeliveryTests.headers)
    return try await service.send(.POST, base, headers, body: body.text)
  }

  private func connections(_ service: TestService, _ session: String) async throws -> [String] {
    let (path, headers) = (OpenTokRESTTests.path(session, "connection"), OpenTokConnectorDeliveryTests.headers)
    let answer = try await service.send(.GET, path, headers)
    return try answer.json["items"]?.array?.compactMap { $0.object?["connectionId"]?.string } ?? []
  }

  private func read(_ service: TestService, _ id: String) async throws -> JSONObject {
    let path = "\(OpenTokConnectorDeliveryTests.base)/\(id)"
    return try await service.send(.GET, path, OpenTokConnectorDeliveryTests.headers).json
  }

  @Test func theChosenStreamIsHeardUntilTheConnectionIsForcedOut() async throws {
    try await OpenTokConnectorDeliveryTests.withService { service async throws in
      try await SoundListener.with { listener, port async throws in
        let (session, room) = try await OpenTokRESTTests.session(service)
        let ada = try await TonePlayer("Ada", 440, in: room.description, of: service)
        let bob = try await TonePlayer("Bob", 1_000, in: room.description, of: service)
        let headers = OpenTokConnectorDeliveryTests.headers
        var streams: [JSONObject] = []
        try await eventually("both are streams") {
          let answer = try await service.send(.GET, OpenTokRESTTests.path(session, "stream"), headers)
          streams = try answer.json["items"]?.array?.compactMap(\.object) ?? []
          return streams.count == 2
        }
        let stream = try #require(streams.first { $0["name"] == "Ada" }?["id"]?.string)
        let answer = try await start(
          service, session,
          [
            "uri": .string("ws://127.0.0.1:\(port)/sound?key=secret"), "streams": [.string(stream)],
            "headers": ["band": "Quince"],
          ])
        #expect(answer.status == 200 && answer["content-type"] == "application/json", "\(answer.text)")
        let id = try #require(try answer.json["id"]?.string)
        let connection = try #require(try answer.json["connectionId"]?.string)
        #expect(listener.path == "/sound?key=secret")
        // A connection like others, with the token's data.
        #expect(try await connections(service, session).contains(connection))
        try await eventually("a tone of Ada's") {
          let pieces = listener.sounds
          return pieces.count > 60 && TonePlayer.level(440, in: pieces) > 0.15
        }
        #expect(listener.sounds.allSatisfy { $0.count == 640 })
        #expect(TonePlayer.level(1_000, in: listener.sounds) < 0.02)
        let first = try #require(listener.texts.first)
        let greeting = try #require(try JSONValue(parsing: first).object)
        #expect(greeting["event"] == "websocket:connected" && greeting["band"] == "Quince")
        #expect(greeting["content-type"] == "audio/l16;rate=16000")
        // What the server says is not read.
        listener.say("{")
        let mute = OpenTokRESTTests.path(session, "stream/\(stream)/mute")
        #expect(try await service.send(.POST, mute, headers).status == 200)
        try await eventually("the mute is told") { listener.events.last == "websocket:media:update" }
        #expect(listener.texts.last?.contains("\"active\":false") == true)
        let known = try await read(service, id)
        #expect(known["status"] == "connected" && known["active"] == false && known["lostMessages"] == 0)
        #expect(known["server"] == .string("ws://127.0.0.1:\(port)"))
        let path = OpenTokRESTTests.path(session, "connection/\(connection)")
        #expect(try await service.send(.DELETE, path, headers).status == 204)
        try await eventually("it is over") { listener.isOver }
        #expect(listener.events.last == "websocket:disconnected" && listener.closing == 1000)
        #expect(try await read(service, id)["reason"] == "force disconnected")
        try await eventually("the connection is gone") {
          try await connections(service, session).contains(connection) == false
        }
        await ada.leave()
        await bob.leave()
      }
    }
  }

  /// What the server says is a stream of the connection, which the others hear and it does not hear itself.
  @Test func theServersVoiceIsAStreamOfTheConnection() async throws {
    try await OpenTokConnectorDeliveryTests.withService { service async throws in
      try await SoundListener.with { listener, port async throws in
        let (session, room) = try await OpenTokRESTTests.session(service)
        let ada = try await TonePlayer("Ada", 440, in: room.description, of: service)
        let uri = JSONValue.string("ws://127.0.0.1:\(port)")
        let options: JSONObject = ["uri": uri, "bidirectional": true, "joiners": true]
        #expect(try await start(service, session, options).status == 403, "a subscriber publishes nothing")
        let token = OpenTokConnectorDeliveryTests.token(session, role: "publisher", data: "name=bot")
        let answer = try await start(service, session, options, token: token)
        #expect(try answer.json["bidirectional"] == true, "\(answer.text)")
        let connection = try #require(try answer.json["connectionId"]?.string)
        // Twelve seconds in pieces of odd sizes, faster than they are played.
        var sound: [UInt8] = []
        for index in 0..<192_000 {
          let sample = Int16(13_000 * sin(2 * Double.pi * 1_000 * Double(index) / 16_000))
          sound += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
        }
        while !sound.isEmpty {
          listener.send(Array(sound.prefix(4_001)))
          sound.removeFirst(min(4_001, sound.count))
        }
        try await eventually("it has a stream") {
          let streams = try await service.send(
            .GET, OpenTokRESTTests.path(session, "stream"), OpenTokConnectorDeliveryTests.headers)
          return streams.text.contains(connection) || streams.text.contains("bot")
        }
        let ear = try await ada.membership.openTap(to: .mixMinus)
        var heard = try LinearSound(rate: 16_000, channels: 1)
        var pieces: [[UInt8]] = []
        for await packet in ear.packets {
          pieces += heard.pieces(of: packet.opus, at: packet.timestamp)
          if TonePlayer.level(1_000, in: pieces) > 0.25 || pieces.count > 500 { break }
        }
        #expect(TonePlayer.level(1_000, in: pieces) > 0.25, "Ada hears it")
        try await eventually("it hears Ada") {
          TonePlayer.level(440, in: listener.sounds) > 0.15
        }
        #expect(TonePlayer.level(1_000, in: listener.sounds) < 0.02, "not itself")
        await ada.leave()
      }
    }
  }

  @Test func itEndsWithItsServerAndIsThenKnownWithAReason() async throws {
    try await OpenTokConnectorDeliveryTests.withService { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let ways: [(String, @Sendable (SoundListener) -> Void)] = [
        ("closed by the WebSocket server", { $0.close() }), ("connection lost", { $0.vanish() }),
      ]
      for (reason, leave) in ways {
        try await SoundListener.with { listener, port async throws in
          let answer = try await start(service, session, ["uri": .string("ws://127.0.0.1:\(port)")])
          let id = try #require(try answer.json["id"]?.string, "\(answer.text)")
          try await eventually("it is heard") { !listener.sounds.isEmpty }
          leave(listener)
          try await eventually("it is known to be over") {
            try await read(service, id)["reason"] == .string(reason)
          }
          try await eventually("only Ada is there") { try await connections(service, session).count == 1 }
        }
      }
      let headers = OpenTokConnectorDeliveryTests.headers
      let list = try await service.send(
        .GET, "\(OpenTokConnectorDeliveryTests.base)?sessionId=\(session)&count=1", headers)
      #expect(try list.json["count"] == 2 && list.json["items"]?.array?.count == 1)
      await ada.leave()
    }
  }

  /// Later ones are heard only where that was asked for; 48 kHz stereo is our own.
  @Test func joinersAreHeardWhereThatIsWished() async throws {
    try await OpenTokConnectorDeliveryTests.withService { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      try await SoundListener.with { vendors, vendorsPort async throws in
        try await SoundListener.with { ours, oursPort async throws in
          let first = try await start(service, session, ["uri": .string("ws://127.0.0.1:\(vendorsPort)/")])
          let second = try await start(
            service, session,
            [
              "uri": .string("ws://127.0.0.1:\(oursPort)/"), "audioRate": 48_000, "channels": 2, "joiners": true,
            ])
          #expect(first.status == 200 && second.status == 200, "\(second.text)")
          let bob = try await TonePlayer("Bob", 1_000, in: room.description, of: service)
          try await eventually("Bob's tone") {
            TonePlayer.level(1_000, in: ours.sounds, rate: 48_000, channels: 2) > 0.15
          }
          #expect(ours.sounds.allSatisfy { $0.count == 3_840 })
          let heard = vendors.sounds.count
          try await eventually("two seconds more") { vendors.sounds.count > heard + 100 }
          #expect(TonePlayer.level(1_000, in: vendors.sounds) < 0.001)
          await bob.leave()
        }
      }
      await ada.leave()
    }
  }

  @Test func aSlowServerLosesSoundAndNothingWaitsForIt() async throws {
    try await SoundListener.with(.stalls) { listener, port async throws in
      let address = try #require(WebhookURL("http://127.0.0.1:\(port)/"))
      let link = try await ConnectorLink.open(
        address, by: OutwardRoute(allowsPrivate: true, trust: nil, resolver: .system))
      let running = Task { await link.run() }
      let piece = OpenTokConnector.message([UInt8](repeating: 1, count: 3_840), by: .binary)
      try await eventually("sound is lost") {
        for _ in 0..<100 { link.offer(piece) }
        return link.lost > 0
      }
      // Its end is waited for no longer than it takes to see that it is away.
      listener.vanish()
      #expect(await running.value == .lost)
    }
  }

  @Test func whatCannotBeBegunIsRefusedWithTheStatusThatSDKsKnow() async throws {
    try await OpenTokConnectorDeliveryTests.withService { service async throws in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let uri: JSONObject = ["uri": "ws://127.0.0.1:9/"]
      let nobody = try await start(service, session, uri)
      #expect(nobody.status == 404 && nobody.text.contains("Nobody is connected"))
      let unknown = try await start(service, "1_MX5-", uri)
      #expect(unknown.status == 404 && unknown.text.contains("Session not found"))
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      let relayed = try await OpenTokRESTTests.session(service, "p2p.preference=enabled").id
      #expect(try await start(service, relayed, uri).status == 409)
      #expect(try await start(service, session, ["uri": "http://127.0.0.1/"]).status == 400)
      let missing: JSONObject = ["uri": "ws://127.0.0.1:9/", "streams": ["00000000-0000-8000-8000-000000000000"]]
      #expect(try await start(service, session, missing).status == 404)
      let other = try await OpenTokRESTTests.session(service).id
      let tokens: [(JSONValue, Int)] = [
        ("nonsense", 403), (OpenTokConnectorDeliveryTests.token(other), 403),
        (OpenTokConnectorDeliveryTests.token(session, role: "publisheronly"), 403),
        (OpenTokConnectorDeliveryTests.token(session, secret: OpenTokRESTTests.otherSecret), 403),
        (OpenTokConnectorDeliveryTests.token(session, data: String(repeating: "x", count: 10_240)), 403),
      ]
      for (token, status) in tokens {
        #expect(try await start(service, session, uri, token: token).status == status, "\(token.text.prefix(40))")
      }
      // Nobody listens there, or nobody who takes a WebSocket.
      let closed = try await start(service, session, uri)
      #expect(closed.status == 400 && closed.text.contains("was not reached"), "\(closed.text)")
      try await SoundListener.with(.refuses) { listener, port async throws in
        let refused = try await start(service, session, ["uri": .string("ws://127.0.0.1:\(port)/key")])
        #expect(refused.status == 400 && refused.text.contains("has not accepted"), "\(refused.text)")
        #expect(!refused.text.contains("/key"))
      }
      // Nothing was disturbed, and nobody has come in.
      #expect(try await connections(service, session).count == 1)
      let headers = [
        OpenTokRESTTests.proof(key: "46000002", secret: OpenTokRESTTests.otherSecret), OpenTokRESTTests.json,
      ]
      #expect(try await service.send(.GET, "/v2/project/46000002/connect", headers).json["count"] == 0)
      #expect(try await service.send(.GET, "/v2/project/46000002/connect/x", headers).status == 404)
      await ada.leave()
    }
  }

  /// A network of the service's own is not for applications, whether it is named by number or by name.
  @Test func privateAddressesAreRefusedUnlessTheServiceAllowsThem() async throws {
    let resolver = WebhookResolver { host in host == "inside.example" ? ["10.0.0.7"] : [] }
    try await OpenTokConnectorDeliveryTests.withService(allowsPrivate: false, resolver: resolver) { service in
      let (session, room) = try await OpenTokRESTTests.session(service)
      let ada = try await OpenTokRESTTests.musician("Ada", in: room, of: service)
      for host in ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "inside.example", "nowhere.example", "a b"] {
        let answer = try await start(service, session, ["uri": .string("ws://\(host)/key")])
        #expect(answer.status == 400 && !answer.text.contains("/key"), "\(host) \(answer.text)")
      }
      #expect(try await connections(service, session).count == 1)
      await ada.leave()
    }
  }
}
